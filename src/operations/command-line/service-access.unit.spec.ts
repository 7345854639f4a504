import { ConcurrencyError } from '#libs/event-sourcing';
import { toErrorLine } from './service-access.js';

describe('the line of a failure', () => {
  it('says plainly that others changed the same thing first, and what to do', () => {
    expect(toErrorLine(new ConcurrencyError('pet-1', 2, 3))).toBe(
      'Another change of pet-1 came first and nothing was changed; send it again.',
    );
  });
});
