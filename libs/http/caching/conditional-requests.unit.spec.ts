import fc from 'fast-check';
import { entityTag, matchesEntityTag } from './conditional-requests.js';

const TAG = entityTag('[]', undefined);

describe('an entity tag', () => {
  it('is strong, the same for text and its bytes, and another for other content or another link', () => {
    expect(TAG).toMatch(/^"[\w-]{22}"$/);
    expect(entityTag(Buffer.from('[]'), undefined)).toBe(TAG);
    const made = [entityTag('a', undefined), entityTag('b', undefined), entityTag('a', 'b'), entityTag('ab', ''), entityTag('a', '')];
    expect(new Set(made).size).toBe(made.length);
  });

  const opaque = fc.stringMatching(/^[\x21\x23-\x7e]{0,8}$/).map((text) => `"${text}"`);
  const element = fc.record({ isWeak: fc.boolean(), tag: fc.oneof(fc.constant(TAG), opaque) });
  const separator = fc.stringMatching(/^[ \t]{0,2},[ \t,]{0,2}$/);

  it('is matched by every list that has it, strongly if it is not weak there', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(element, separator)), (elements) => {
        const condition = elements.map(([{ isWeak, tag }, behind]) => `${isWeak ? 'W/' : ''}${tag}${behind}`).join('');
        const named = elements.map(([each]) => each).filter(({ tag }) => tag === TAG);
        expect(matchesEntityTag(condition, TAG, 'weak')).toBe(named.length > 0);
        expect(matchesEntityTag(condition, TAG, 'strong')).toBe(named.some(({ isWeak }) => !isWeak));
      }),
    );
    for (const any of ['*', ' * ']) expect(matchesEntityTag(any, TAG, 'strong')).toBe(true);
  });

  it('is matched by nothing that is no list, though it stands there', () => {
    const between = fc.constantFrom(' ', ' "a" ', 'w/', 'x', '"', '*,', '"a"');
    fc.assert(
      fc.property(fc.array(opaque), between, fc.array(opaque), (before, junk, behind) => {
        const condition = [...before, `${junk === ' ' ? '"b"' : ''}${junk}${TAG}`, ...behind].join(', ');
        expect(matchesEntityTag(condition, TAG, 'weak')).toBe(false);
      }),
    );
    for (const other of ['', '"a"', TAG.slice(1, -1), TAG.slice(0, -1), `"${TAG.slice(2)}`, '"*"', '**']) {
      expect(matchesEntityTag(other, TAG, 'weak')).toBe(false);
    }
  });
});
