import { oneLine } from './one-line.js';

describe('oneLine', () => {
  it('joins lines and drops what could rewrite a terminal', () => {
    expect(oneLine(' a\n  b\r\n\u001b[2Kc\u0000\u009b ')).toBe('a b [2Kc');
  });

  it('leaves other text as it is', () => {
    expect(oneLine('Änne  \u{1f408} "x"')).toBe('Änne  \u{1f408} "x"');
  });
});
