const LONG_RUN = /[A-Za-z0-9_%-]{20,}/g;
const MASK = '***';
const UNPRINTABLE = /[^\x21-\x7e]/g;
const MAX_PATH_LENGTH = 200;

let secretPattern = /(?!)/g;

/** Sets the form of the service's secrets, such as its API keys. Call it before anything is logged. @param pattern a global one */
export function setSecretPattern(pattern: RegExp): void {
  secretPattern = pattern;
}

/** Replaces secrets in a text. */
export function maskSecrets(text: string): string {
  return text.replace(secretPattern, MASK);
}

/**
 * Returns a path fit for a log: secrets, and what is long enough to be a part of one, are masked. What is not visible ASCII is
 * percent-encoded, so that nothing in it speaks to a terminal or begins a line.
 */
export function maskPath(path: string): string {
  const masked = maskSecrets(path.replace(LONG_RUN, MASK)).replace(UNPRINTABLE, percentEncode);
  return masked.length > MAX_PATH_LENGTH ? `${masked.slice(0, MAX_PATH_LENGTH)}…` : masked;
}

/** Returns the text on one line, without control characters that could rewrite a terminal. */
export function printableLine(text: string): string {
  return text.replace(/\s*\p{Cc}+\s*/gu, ' ').trim();
}

function percentEncode(character: string): string {
  return [...Buffer.from(character)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
}
