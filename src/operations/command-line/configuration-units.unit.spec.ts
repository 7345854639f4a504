import { loadConfiguration } from '../../config/index.js';
import { withUnits } from './configuration-units.js';

/** What is counted, and so has no unit. */
const COUNTS = ['after', 'allowedPorts', 'createBurstPerSecond', 'perDay', 'perKey', 'perMinute', 'port', 'streams', 'streamsPerKey'];

function numbersIn(value: unknown, name = ''): string[] {
  if (typeof value === 'number') return [name];
  if (Array.isArray(value)) return value.flatMap((item) => numbersIn(item, name));
  return typeof value === 'object' && value !== null ? Object.entries(value).flatMap(([inner, part]) => numbersIn(part, inner)) : [];
}

describe('the configuration with units', () => {
  it('has one for all that is no mere count', () => {
    const configuration = loadConfiguration({ WEBHOOK_ALLOW: '9443' });
    expect([...new Set(numbersIn(withUnits(configuration)))].sort()).toEqual(COUNTS);
  });

  it('tells durations and sizes', () => {
    expect(withUnits({ timeout: 15_000, bans: { ladder: [60_000, 3_900_000] }, bodyLimitBytes: 65_536, port: 3_000 })).toEqual({
      timeout: '15 s',
      bans: { ladder: ['1 min', '1 h 5 min'] },
      bodyLimitBytes: '64.0 KiB',
      port: 3_000,
    });
  });
});
