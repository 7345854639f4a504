import 'reflect-metadata';
import { readFileSync, writeFileSync } from 'node:fs';
import type { Projection } from '#libs/event-sourcing';
import { composition } from './composition.js';

/** The form of the tables, whatever the order in which it is declared. */
function describeForm({ eventTypes, tables }: Projection): object {
  const forms = tables.map((table) => ({
    table: table.name,
    columns: table.columns
      .map(({ name, type, isNullable }) => `${name} ${type === 'bigint' ? 'int64' : type}${isNullable ? ' null' : ''}`)
      .sort()
      .join(', '),
    primaryKey: table.primaryKey.join(),
    indexes: table.indexes.map((index) => index.map((member) => table.columnName(member)).join()).sort(),
    searched: table.searched
      .map((member) => table.columnName(member))
      .sort()
      .join(),
  }));
  return { eventTypes: eventTypes.toSorted().join(), tables: forms.sort((one, other) => (one.table < other.table ? -1 : 1)) };
}

const RECORDED = 'src/bootstrap/projection-forms.fixture.json';

/** Returns the recorded form of a version; one that has none is recorded now, but not in CI. */
function recordedForm(version: string, form: object): unknown {
  const recorded = JSON.parse(readFileSync(RECORDED, 'utf8')) as Record<string, object>;
  if (version in recorded || process.env['CI']) return recorded[version];
  writeFileSync(RECORDED, `${JSON.stringify({ ...recorded, [version]: form }, undefined, 2)}\n`);
  return form;
}

describe('a projection', () => {
  // What to do if this fails: raise its `version`, which is recorded with the next run. If it was never released, or the only change is an
  // event type that is new too, remove its entry from the file instead.
  it.each(composition().projections.map((projection) => [`${projection.name} ${projection.version}`, projection] as const))(
    'has the recorded columns, indexes, searched members and event types as long as its version stays: %s',
    (version, projection) => {
      const form = describeForm(projection);
      expect(form).toEqual(recordedForm(version, form));
    },
  );
});
