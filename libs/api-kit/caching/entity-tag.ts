import { hash } from 'node:crypto';
import { ApplicationError } from '#libs/errors';

/** The grammar of a list (RFC 9110 section 5.6.1): elements may be empty. */
const LIST = /^(?:[\t ]*(?:(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"[\t ]*)?(?:,|$))+$/;
/** An entity tag, and its opaque part, which is all that weak comparison looks at. */
const ENTITY_TAG = /(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")/g;
const TAG_CHARACTERS = 22;

/**
 * A strong entity tag (RFC 9110 section 8.8.3) that changes when the content does.
 * @param further what else it changes with, each in its place; the tag is that of the content alone where all of it is undefined
 */
export function entityTag(content: string | Uint8Array, ...further: readonly (string | undefined)[]): string {
  const digest = hash('sha256', content, 'base64url');
  const isOfContentAlone = further.every((part) => part === undefined);
  const whole = isOfContentAlone ? digest : hash('sha256', JSON.stringify([digest, ...further]), 'base64url');
  return `"${whole.slice(0, TAG_CHARACTERS)}"`;
}

/**
 * Whether an `If-Match`, by strong comparison, or an `If-None-Match`, by weak comparison, names a strong entity tag, which `*` does
 * (RFC 9110 sections 8.8.3.2, 13.1.1 and 13.1.2). What is no list of entity tags names none.
 */
export function matchesEntityTag(condition: string, tag: string, comparison: 'strong' | 'weak'): boolean {
  if (condition === tag || condition.trim() === '*') return true;
  if (!LIST.test(condition)) return false;
  for (const [whole, opaque] of condition.matchAll(ENTITY_TAG)) {
    if ((comparison === 'strong' ? whole : opaque) === tag) return true;
  }
  return false;
}

/** An `If-Match` does not name this tag, which holds. */
export function preconditionFailed(tag: string): ApplicationError {
  return new ApplicationError('precondition_failed', 'If-Match does not name the entity tag that holds, which ETag tells.', {
    headers: { etag: tag },
  });
}
