import { processorSecondsOfEnded } from '../contestants/processor-time.mjs';
import { animalLines } from '../fixtures/animals.mjs';
import { figureRow } from '../report/row.mjs';
import { median } from './compare.mjs';
import { onStage } from './stage.mjs';

const MOST_ROUNDS = 3;

/** `pets import` into a new database, from its first record to its last commit. */
export const importMeasurement = {
  name: 'import',
  async run({ imported, rounds }) {
    const rates = [];
    const microseconds = [];
    for (let round = 0; round < Math.min(rounds, MOST_ROUNDS); round += 1) {
      await onStage({ animals: 0 }, async ({ database }) => {
        const before = await processorSecondsOfEnded();
        const { added, seconds } = await database.import(animalLines(imported));
        if (added !== imported) throw new Error(`Of ${imported} animals ${added} were imported.`);
        rates.push(added / seconds);
        microseconds.push((((await processorSecondsOfEnded()) - before) / added) * 1e6);
      });
    }
    const note = `${median(microseconds).toFixed(1)} µs of processor time an animal, the command's start and end included`;
    const what = `import of ${imported.toLocaleString('en-US')} animals, SQLite`;
    return [figureRow({ what, figure: median(rates), unit: 'animals/s', atLeast: 50_000, note })];
  },
};
