import { shareRow } from '../report/row.mjs';
import { compare } from './compare.mjs';
import { list, withHeaders } from './requests.mjs';
import { onStage } from './stage.mjs';

const VARIANTS = [
  { limits: 'throttler', title: "the same service on ThrottlerGuard's own storage" },
  { limits: 'none', title: 'the same service without limits' },
  { limits: 'nobody', title: 'the same service without authentication and limits', goal: 0.8 },
];

/** What authentication and limits cost: the list with them, without, and with Nest's own limits in their place. */
export const limitsMeasurement = {
  name: 'limits',
  async run(options) {
    const rows = [];
    for (const { limits, title, goal } of VARIANTS) {
      const [service, variant] = await measure({ name: title, program: 'bench/baselines/nest-throttler.mjs', limits }, options);
      rows.push(shareRow({ what: `${list.title}, SQLite`, subject: service, baseline: { name: title, measured: variant }, goal }));
    }
    return rows;
  },
};

/** The variant has a database of its own: one SQLite file serves one process. */
async function measure({ name, program, limits }, options) {
  return onStage({}, (stage) =>
    onStage({}, async (other) => {
      const service = { server: await stage.serve(), ...withHeaders(list, stage.headers) };
      const variant = {
        server: await other.serve({ name: 'variant', program, environment: { LIMITS: limits } }),
        ...withHeaders(list, other.headers),
      };
      const measured = await compare([service, variant], options);
      return [measured.get('service'), measured.get('variant'), name];
    }),
  );
}
