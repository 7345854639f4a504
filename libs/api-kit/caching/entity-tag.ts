import { hash } from 'node:crypto';

/** An entity tag, and its opaque part, which is all that weak comparison looks at. */
const ENTITY_TAG = /(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")/g;
const TAG_CHARACTERS = 22;

/** A strong entity tag (RFC 9110 section 8.8.3) that changes when the content or its `Link` does. */
export function entityTag(content: string | Uint8Array, link: string | undefined): string {
  const digest = hash('sha256', content, 'base64url');
  const whole = link === undefined ? digest : hash('sha256', digest + link, 'base64url');
  return `"${whole.slice(0, TAG_CHARACTERS)}"`;
}

/**
 * Whether an `If-Match`, by strong comparison, or an `If-None-Match`, by weak comparison, names a strong entity tag, which `*` does
 * (RFC 9110 sections 8.8.3.2, 13.1.1 and 13.1.2).
 */
export function matchesEntityTag(condition: string, tag: string, comparison: 'strong' | 'weak'): boolean {
  if (condition === tag || condition.trim() === '*') return true;
  for (const [whole, opaque] of condition.matchAll(ENTITY_TAG)) {
    if ((comparison === 'strong' ? whole : opaque) === tag) return true;
  }
  return false;
}
