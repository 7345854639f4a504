import { createHash, timingSafeEqual } from 'node:crypto';

const CREDENTIALS = /^basic +([a-z0-9+/]+=*) *$/i;

/** The password of the operators' page. */
export class Password {
  private readonly digest: Buffer | undefined;

  /** @param password undefined: everybody may */
  constructor(password: string | undefined) {
    this.digest = password === undefined ? undefined : digestOf(password);
  }

  /** Whether a header `Authorization` brings it, with any user name (RFC 7617). Takes as long whatever is wrong. */
  allows(authorization: string | undefined): boolean {
    if (!this.digest) return true;
    const [, encoded] = CREDENTIALS.exec(authorization ?? '') ?? [];
    const credentials = Buffer.from(encoded ?? '', 'base64').toString();
    const colon = credentials.indexOf(':');
    return timingSafeEqual(digestOf(credentials.slice(colon + 1)), this.digest) && colon >= 0;
  }
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
