import { ApiDescription, IfGiven, IsText } from '../validation/rules.js';
import { InputCommand } from './input-command.js';
import { computeFingerprint } from './read-request.js';

interface Values {
  readonly name: string;
  readonly note?: string;
  readonly added?: string;
}

class First extends InputCommand<Values, void> {
  @IsText(10)
  readonly name!: string;

  @IfGiven()
  @IsText(10)
  readonly note?: string;
}

/** What a later version makes of it. */
class Second extends First {
  @IfGiven()
  @IsText(10)
  @ApiDescription('New.')
  readonly added?: string;
}

class WithStoredKeys extends Second {
  protected override fixedInputs(): readonly string[] {
    return ['name', 'note'];
  }
}

const IDEMPOTENCY = { scope: 'test', key: 'k' };
const fingerprint = (command: typeof First, values: Values) =>
  new command(values, { actor: 'system' }, IDEMPOTENCY).appendOptions.idempotency?.fingerprint;

describe('the fingerprint of a request', () => {
  it.each<Values>([{ name: 'Rex' }, { name: 'Rex', note: 'a' }])('stays when an optional input is added: %j', (values) => {
    expect(fingerprint(Second, values)).toBe(fingerprint(First, values));
  });

  it('is that of the keys which are stored with all inputs of their time', () => {
    expect(fingerprint(WithStoredKeys, { name: 'Rex' })).toBe(computeFingerprint(['Rex', null]));
  });

  it.each([First, Second, WithStoredKeys])('tells apart what differs (%#)', (command) => {
    const added =
      command === First
        ? []
        : [
            { name: 'Rex', added: 'a' },
            { name: 'Rex', note: 'a', added: 'a' },
          ];
    const given = [{ name: 'Rex' }, { name: 'Max' }, { name: 'Rex', note: 'a' }, ...added];
    expect(new Set(given.map((values) => fingerprint(command, values))).size).toBe(given.length);
  });
});
