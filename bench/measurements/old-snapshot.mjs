import pg from 'pg';
import { ratioRow } from '../report/row.mjs';
import { median } from './compare.mjs';
import { add, withHeaders } from './requests.mjs';
import { onStage } from './stage.mjs';

const ADDS = 10_000;
const SAMPLE = 500;

/** Adds one after another while another session holds a snapshot, as a dump does, so that the server keeps all versions of changed rows. */
export const oldSnapshotMeasurement = {
  name: 'old-snapshot',
  needsPostgres: true,
  run: ({ postgres }) =>
    onStage({ kind: 'postgres', postgres }, async (stage) => {
      const { origin } = await stage.serve();
      const { request, check } = withHeaders(add, stage.headers);
      const addAnimals = async (count) => {
        const milliseconds = [];
        for (let index = 0; index < count; index += 1) {
          const startedAt = performance.now();
          const response = await fetch(origin + request.path, request);
          check({ status: response.status, text: await response.text() });
          milliseconds.push(performance.now() - startedAt);
        }
        return median(milliseconds);
      };
      const session = new pg.Client({ connectionString: stage.postgres.url });
      await session.connect();
      try {
        await addAnimals(SAMPLE);
        await session.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
        await session.query('SELECT 1');
        const baselineFigure = await addAnimals(SAMPLE);
        await addAnimals(ADDS - 2 * SAMPLE);
        const figure = await addAnimals(SAMPLE);
        const what = `add one at a time, median after ${ADDS.toLocaleString('en-US')} under one snapshot`;
        return [ratioRow({ what, figure, baseline: 'the first of them', baselineFigure, unit: 'ms', atMost: 2 })];
      } finally {
        await session.end();
      }
    }),
};
