import { buildCommit } from '../contestants/other-build.mjs';
import { shareRow } from '../report/row.mjs';
import { compare } from './compare.mjs';
import { add, get, graphqlPage, list, withHeaders } from './requests.mjs';
import { onStage } from './stage.mjs';

/** This build and that of another commit in turns on SQLite, so that a change is judged by a ratio of one run. */
export async function compareWithCommit(ref, options) {
  const { root, remove } = await buildCommit(ref);
  try {
    const rows = [];
    for (const operation of [list, get, add, graphqlPage]) rows.push(await rowOf(operation, { ref, root }, options));
    return rows;
  } finally {
    await remove();
  }
}

async function rowOf(operation, { ref, root }, options) {
  return onStage({}, (stage) =>
    onStage({ root }, async (other) => {
      const contestants = [
        { server: await stage.serve(), ...withHeaders(operation, stage.headers) },
        { server: await other.serve({ name: 'other' }), ...withHeaders(operation, other.headers) },
      ];
      const measured = await compare(contestants, options);
      const baseline = { name: `commit ${ref}`, measured: measured.get('other') };
      return shareRow({ what: `${operation.title}, SQLite`, subject: measured.get('service'), baseline });
    }),
  );
}
