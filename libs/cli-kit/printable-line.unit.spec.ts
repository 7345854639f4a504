import { printableLine } from './printable-line.js';

describe('a printable line', () => {
  it('joins lines and drops what could rewrite a terminal', () => {
    expect(printableLine(' a\n  b\r\n\u001b[2Kc\u0000\u009b ')).toBe('a b [2Kc');
  });

  it('leaves other text as it is', () => {
    expect(printableLine('Änne  \u{1f408} "x"')).toBe('Änne  \u{1f408} "x"');
  });
});
