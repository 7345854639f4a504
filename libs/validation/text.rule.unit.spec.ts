import fc from 'fast-check';
import { assertValid } from './assert-valid.js';
import { assertStorable, IsText, textErrors } from './text.rule.js';

const wellFormed = fc.string({ unit: 'binary' }).filter((text) => !text.includes('\u0000'));
const unstorable = fc
  .tuple(wellFormed, fc.constantFrom('\u0000', '\ud800', '\udbff', '\udc00', '\udfff'), fc.constantFrom('', 'b', '🐈'))
  .map((parts) => parts.join(''));

class Named {
  @IsText(3)
  readonly name: unknown;
  readonly unruled: unknown;

  constructor(name: unknown, unruled?: unknown) {
    this.name = name;
    this.unruled = unruled;
  }
}

describe('the rule for text from outside', () => {
  it('takes any other text, wherever it stands', () => {
    fc.assert(fc.property(wellFormed, (text) => expect(textErrors('x', [text, { text, of: { text } }])).toEqual([])));
  });

  it('refuses U+0000 and lone surrogates, wherever they stand', () => {
    fc.assert(
      fc.property(unstorable, (text) => {
        const faults = textErrors('x', [{ a: [text] }, 'y', text]);
        expect(faults).toHaveLength(2);
        expect(faults[0]).toMatch(/^x\[0\]\.a\[0\] must be without U\+0000 and lone surrogates, but holds U\+(?:0000|D[89A-F]..)$/);
        expect(faults[1]).toMatch(/^x\[2\] must be/);
      }),
    );
  });

  it('leaves alone what is no text', () => {
    expect(textErrors('x', [1, 1n, null, undefined, true, new Date(0), Buffer.from('\u0000'), () => '\u0000'])).toEqual([]);
  });

  it('names every text at fault with the code of the place where it entered', () => {
    expect(() => assertStorable({ a: '\u0000', b: 'b', c: ['\ud800'] }, 'invalid_parameter')).toThrow(
      expect.objectContaining({
        code: 'invalid_parameter',
        message: expect.stringMatching(/^a must be .* U\+0000; c\[0\] must be .* U\+D800\.$/),
      }),
    );
  });

  it('holds for every property of what is checked, beside its own rules', () => {
    expect(() => assertValid(new Named('\u0000', ['\u0000']))).toThrow(/^name must be without .*; unruled\[0\] must be without/);
    expect(() => assertValid(new Named('', '\u0000'))).toThrow(/^name must be a string .*; unruled must be without/);
    expect(() => assertValid(new Named('a\u0000bc'))).toThrow(/^name must be a string of 1 to 3 Unicode characters, not blank$/);
  });
});
