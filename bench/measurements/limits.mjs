import { shareRow } from '../report/row.mjs';
import { compare } from './compare.mjs';
import { list, withHeaders } from './requests.mjs';
import { onStage } from './stage.mjs';

const PROGRAM = 'bench/baselines/without-authentication.mjs';

/** What authentication and limits cost: the list with them and without. Each has a database of its own, since a SQLite file serves one process. */
export const limitsMeasurement = {
  name: 'limits',
  run: (options) =>
    onStage({}, (stage) =>
      onStage({}, async (other) => {
        const contestants = [
          { server: await stage.serve(), ...withHeaders(list, stage.headers) },
          { server: await other.serve({ name: 'without', program: PROGRAM }), ...withHeaders(list, other.headers) },
        ];
        const measured = await compare(contestants, options);
        const baseline = { name: 'the same service without authentication and limits', measured: measured.get('without') };
        return [shareRow({ what: `${list.title}, SQLite`, subject: measured.get('service'), baseline, goal: 0.8 })];
      }),
    ),
};
