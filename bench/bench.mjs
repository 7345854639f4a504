import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { hasPostgres } from './contestants/postgres.mjs';
import { compareWithCommit } from './measurements/builds.mjs';
import { feedMeasurements } from './measurements/feed.mjs';
import { graphqlMeasurements } from './measurements/graphql.mjs';
import { growthMeasurements } from './measurements/growth.mjs';
import { httpMeasurements } from './measurements/http.mjs';
import { importMeasurement } from './measurements/import.mjs';
import { instancesMeasurement } from './measurements/instances.mjs';
import { latencyMeasurements } from './measurements/latency.mjs';
import { memoryMeasurement } from './measurements/memory.mjs';
import { orderMeasurements } from './measurements/orders.mjs';
import { rebuildMeasurement } from './measurements/rebuild.mjs';
import { webhookMeasurements } from './measurements/webhooks.mjs';
import { table, writeRows } from './report/results.mjs';

const MEASUREMENTS = [
  ...httpMeasurements,
  ...orderMeasurements,
  ...graphqlMeasurements,
  ...latencyMeasurements,
  memoryMeasurement,
  ...feedMeasurements,
  ...webhookMeasurements,
  importMeasurement,
  rebuildMeasurement,
  ...growthMeasurements,
  instancesMeasurement,
];
const NAMES = MEASUREMENTS.map(({ name }) => name);

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '32' },
    animals: { type: 'string', default: '1000000' },
    imported: { type: 'string', default: '200000' },
    compare: { type: 'string' },
    'cpu-profile': { type: 'string' },
    postgres: { type: 'string', default: 'postgres://postgres@127.0.0.1:5432/postgres' },
  },
});
const wanted = values.only?.split(',') ?? NAMES;
const unknown = wanted.filter((name) => !NAMES.includes(name));
if (unknown.length > 0) throw new Error(`There is no measurement ${unknown.join(', ')}; there are ${NAMES.join(', ')}.`);

const { postgres } = values;
if (values['cpu-profile'] !== undefined) process.env.CPU_PROFILE_FOLDER = resolve(values['cpu-profile']);
const numbers = ['rounds', 'seconds', 'connections', 'animals', 'imported'].map((name) => [name, Number(values[name])]);
const options = { ...Object.fromEntries(numbers), postgres };
if (values.compare !== undefined) {
  console.log(table('compare', await compareWithCommit(values.compare, wanted, options)));
  process.exit();
}
const withPostgres = await hasPostgres(postgres);
for (const measurement of MEASUREMENTS.filter(({ name }) => wanted.includes(name))) {
  if (measurement.needsPostgres && !withPostgres) {
    console.log(`${measurement.name}: not measured, there is no PostgreSQL at ${postgres}`);
    continue;
  }
  console.log(`${measurement.name} …`);
  const rows = await measurement.run(options);
  console.log(`${table(measurement.name, rows)}\n`);
  await writeRows(measurement.name, rows, NAMES);
}
