import { hash } from 'node:crypto';

/** The opaque part, which is all that weak comparison looks at. */
const OPAQUE_TAG = /"[\x21\x23-\x7e\x80-\xff]*"/g;
const TAG_CHARACTERS = 22;

/** A strong entity tag (RFC 9110 section 8.8.3) that changes when the content or its `Link` does. */
export function entityTag(content: string | Uint8Array, link: string | undefined): string {
  const digest = hash('sha256', content, 'base64url');
  const whole = link === undefined ? digest : hash('sha256', digest + link, 'base64url');
  return `"${whole.slice(0, TAG_CHARACTERS)}"`;
}

/** Whether an `If-None-Match` names the entity tag, by weak comparison (RFC 9110 sections 8.8.3.2 and 13.1.2). */
export function matchesEntityTag(ifNoneMatch: string, tag: string): boolean {
  if (ifNoneMatch === tag || ifNoneMatch.trim() === '*') return true;
  for (const [opaque] of ifNoneMatch.matchAll(OPAQUE_TAG)) {
    if (opaque === tag) return true;
  }
  return false;
}
