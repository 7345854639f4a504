import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { IS_LONG, SEED } from './run-form.js';

const FOLDER = 'reports';
const FILE = `${FOLDER}/reliability.json`;

/** Figures of a run by the name of the check, each with what it counts. */
export type Figures = Readonly<Record<string, Readonly<Record<string, number | string>>>>;

/** Keeps the figures of a check in `reports/reliability.json`, beside those of the others, and prints them. */
export function report(check: string, figures: Figures[string]): void {
  mkdirSync(FOLDER, { recursive: true });
  const form = IS_LONG ? 'long' : 'short';
  const all = { ...readFigures(), [check]: { form, seed: SEED, ...figures } };
  writeFileSync(FILE, `${JSON.stringify(all, undefined, 2)}\n`);
  process.stdout.write(`${check} (${form}): ${JSON.stringify(figures)}\n`);
}

function readFigures(): Figures {
  try {
    return JSON.parse(readFileSync(FILE, 'utf8')) as Figures;
  } catch {
    return {};
  }
}
