import { ConcurrencyError } from '#libs/event-store';
import { failureLine, printableLine } from './failure-line.js';

describe('the line of a failure', () => {
  it('says plainly that others changed the same thing first, and what to do', () => {
    expect(failureLine(new ConcurrencyError('pet-1', 2, 3))).toBe(
      'Another change of pet-1 came first and nothing was changed; send it again.',
    );
  });
});

describe('a printable line', () => {
  it('joins lines and drops what could rewrite a terminal', () => {
    expect(printableLine(' a\n  b\r\n\u001b[2Kc\u0000\u009b ')).toBe('a b [2Kc');
  });

  it('leaves other text as it is', () => {
    expect(printableLine('Änne  \u{1f408} "x"')).toBe('Änne  \u{1f408} "x"');
  });
});
