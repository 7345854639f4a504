import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { composeModules, domainModule, hours, list, minutes, oneOf, setting, text, trueOrFalse, type SettingValues } from '#libs/http';
import { loadConfiguration } from '../../src/config/index.js';
import { makeTemporaryFolder } from '../cleanup/temporary-folder.js';

const lampSettings = {
  burnTime: setting('LAMP_BURN_MINUTES', minutes(60), { default: '1.5', description: 'How long a lamp burns, `0.5` or more' }),
  colors: setting('LAMP_COLORS', list(oneOf(['red', 'blue'])), { default: '', description: 'Colors | of lamps' }),
  owner: setting('LAMP_OWNER', text, { description: 'Who owns the lamps' }),
  isOpen: setting('LAMP_OPEN', trueOrFalse, {
    default: 'false',
    description: 'Whether flames are open',
    refusedInProduction: { text: 'true', reason: 'where it would burn' },
  }),
};

interface LampValues {
  readonly burnTime: number;
  readonly colors: readonly ('red' | 'blue')[];
  readonly owner: string | undefined;
  readonly isOpen: boolean;
}

const lamps = domainModule({
  name: 'lamps',
  settings: lampSettings,
});
const rooms = domainModule({
  name: 'rooms',
  settings: { rest: setting('ROOM_REST_HOURS', hours(1, 24), { default: '8', description: 'How long a room rests' }) },
});
const { settings } = composeModules([lamps, rooms]);
const load = (environment: Record<string, string>) => loadConfiguration(environment, settings);

describe('the settings of modules', () => {
  it('are read as their kinds say, from variables, files and defaults', () => {
    const { lamps: values, ...others } = load({}).modules;
    // Compiles only if the values have the types of their kinds.
    const typed: LampValues = values as SettingValues<typeof lampSettings>;
    expect({ typed, others }).toEqual({
      typed: { burnTime: 90_000, colors: [], owner: undefined, isOpen: false },
      others: { rooms: { rest: 28_800_000 } },
    });
    const file = join(makeTemporaryFolder('settings'), 'owner');
    writeFileSync(file, 'Ann\n');
    expect(load({ LAMP_BURN_MINUTES: '2', LAMP_COLORS: 'red, blue', LAMP_OWNER_FILE: file, LAMP_OPEN: 'true' }).modules['lamps']).toEqual({
      burnTime: 120_000,
      colors: ['red', 'blue'],
      owner: 'Ann',
      isOpen: true,
    });
  });

  it('are told of with all mistakes of the service, in the order of the documents', () => {
    const environment = { ROOM_REST_HOURS: '25', LAMP_COLORS: 'red,green', LAMP_OPEN: 'true', DEPLOYMENT: 'production', PORT: 'x' };
    expect(() => load(environment)).toThrow(
      [
        '  PORT must be a whole number from 0 to 65535',
        '  LAMP_COLORS must be one of red, blue (entry 2)',
        '  LAMP_OPEN must not be true in production, where it would burn',
        '  ROOM_REST_HOURS must be a whole number from 1 to 24',
      ].join('\n'),
    );
    expect(load({ DEPLOYMENT: 'staging', LAMP_OPEN: 'true' }).modules['lamps']).toHaveProperty('isOpen', true);
  });
});
