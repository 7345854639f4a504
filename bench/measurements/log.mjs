import { measureEventStore } from '../contestants/event-store.mjs';
import { ratioRow } from '../report/row.mjs';
import { median } from './compare.mjs';
import { onStage } from './stage.mjs';

const CALLERS = [1, 8, 32, 128];
const SIZED_EVENTS = 100_000;

/** The log on SQLite beside PostgreSQL, without HTTP: what docs/scaling.md reckons with. */
export const logMeasurement = {
  name: 'log',
  needsPostgres: true,
  async run(options) {
    const turns = [];
    for (let round = 0; round < options.rounds; round += 1) {
      turns.push({ sqlite: await measure('sqlite', options), postgres: await measure('postgres', options) });
    }
    const row = (what, unit, figureOf) => {
      const [figure, baselineFigure] = ['sqlite', 'postgres'].map((kind) => median(turns.map((turn) => figureOf(turn[kind]))));
      return ratioRow({ what: `${what}, SQLite`, figure, baseline: 'PostgreSQL', baselineFigure, unit });
    };
    return [
      ...CALLERS.map((callers, index) => row(`log: appends of ${callers} at a time`, 'appends/s', ({ appends }) => appends[index])),
      row('log: on disk for an animal, with its rows and indexes', 'bytes', ({ bytes }) => bytes),
      row('log: reads in pages of 1,000', 'events/s', ({ reads }) => reads),
      row('log: a projection built anew', 'events/s', ({ rebuilt }) => rebuilt),
    ];
  },
};

function measure(kind, { postgres, seconds }) {
  const options = { seconds, callers: CALLERS, sizedEvents: SIZED_EVENTS };
  return onStage({ kind, animals: 0, postgres }, ({ database }) => measureEventStore('log', database, options));
}
