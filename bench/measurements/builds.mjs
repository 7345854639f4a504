import { buildCommit } from '../contestants/other-build.mjs';
import { shareRow } from '../report/row.mjs';
import { compare } from './compare.mjs';
import { add, filteredPages, get, getDifferent, graphqlPage, graphqlPages, list, listPages, withHeaders } from './requests.mjs';
import { onStage } from './stage.mjs';

const ON_BOTH = [list, listPages, filteredPages, get, getDifferent, add];
const SUBJECTS = [
  ...[...ON_BOTH, graphqlPage, graphqlPages].map((operation) => ({ operation, name: operation.name, kind: 'sqlite' })),
  ...ON_BOTH.map((operation) => ({ operation, name: `${operation.name}-postgres`, kind: 'postgres' })),
];

/**
 * This build and that of another commit in turns, so that a change is judged by a ratio of one run.
 * @param wanted names of operations; those of other measurements say nothing here
 */
export async function compareWithCommit(ref, wanted, options) {
  const { root, remove } = await buildCommit(ref);
  try {
    const rows = [];
    const subjects = SUBJECTS.filter(({ name }) => wanted.includes(name));
    for (const subject of subjects) rows.push(await rowOf(subject, { ref, root }, options));
    return rows;
  } finally {
    await remove();
  }
}

async function rowOf({ operation, kind }, { ref, root }, options) {
  const given = { kind, postgres: options.postgres, animals: operation.animals };
  return onStage(given, (stage) =>
    onStage({ ...given, root }, async (other) => {
      const contestants = [
        { server: await stage.serve(), ...withHeaders(operation, stage.headers) },
        { server: await other.serve({ name: 'other' }), ...withHeaders(operation, other.headers) },
      ];
      const measured = await compare(contestants, options);
      const baseline = { name: `commit ${ref}`, measured: measured.get('other') };
      return shareRow({ what: `${operation.title}, ${stage.label}`, subject: measured.get('service'), baseline, spread: true });
    }),
  );
}
