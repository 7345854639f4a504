import fc from 'fast-check';
import { entityTag, matchesEntityTag } from './entity-tag.js';

const TAG = entityTag('[]', undefined);

describe('an entity tag', () => {
  it('is strong, and the same for text and its bytes', () => {
    expect(TAG).toMatch(/^"[\w-]{22}"$/);
    expect(entityTag(Buffer.from('[]'), undefined)).toBe(TAG);
  });

  it('changes with the content and with the link', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.option(fc.string(), { nil: undefined }),
        fc.string(),
        fc.option(fc.string(), { nil: undefined }),
        (a, b, c, d) => {
          fc.pre(a !== c || b !== d);
          expect(entityTag(a, b)).not.toBe(entityTag(c, d));
        },
      ),
    );
  });

  it.each([TAG, `W/${TAG}`, `"a", ${TAG}`, `"a,b",W/${TAG} , "c"`, '*', ' * '])('is matched weakly by %s', (condition) => {
    expect(matchesEntityTag(condition, TAG, 'weak')).toBe(true);
  });

  it.each([TAG, `"a", ${TAG}`, `W/"a",${TAG} , "c"`, `W/${TAG}, ${TAG}`, '*', ' * '])('is matched strongly by %s', (condition) => {
    expect(matchesEntityTag(condition, TAG, 'strong')).toBe(true);
  });

  it.each([`W/${TAG}`, `"a", W/${TAG}`])('is not matched strongly by %s', (condition) => {
    expect(matchesEntityTag(condition, TAG, 'strong')).toBe(false);
  });

  it.each(['', '"a"', TAG.slice(1, -1), TAG.slice(0, -1), `"${TAG.slice(2)}`, '"*"', '**'])('is not matched by %j', (condition) => {
    expect(matchesEntityTag(condition, TAG, 'weak')).toBe(false);
    expect(matchesEntityTag(condition, TAG, 'strong')).toBe(false);
  });
});
