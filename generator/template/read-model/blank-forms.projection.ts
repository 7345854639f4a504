import { insertRows, raw } from '#libs/database';
import type { RecordedEvent, Projection, ProjectionTarget } from '#libs/event-sourcing';
import type { BlankFormAdded, BlankFormRenamed } from '../domain/blank-form.events.js';
import { parseBlankFormId } from '../domain/blank-form.js';

/** Each of them says the name. */
type NamingEvent = BlankFormAdded | BlankFormRenamed;

const REPLACE_NAME = raw('ON CONFLICT (id) DO UPDATE SET name = excluded.name');

export const BLANK_FORMS = 'blank_forms';

/** The blank forms that can be read, one row each. */
export const blankFormsProjection: Projection<NamingEvent> = {
  name: 'blank-forms',
  version: 1,
  eventTypes: ['blank-form-added', 'blank-form-renamed'],
  tables: [{ name: BLANK_FORMS, columns: { id: { type: 'int64' }, name: { type: 'text' } }, primaryKey: ['id'] }],
  project,
};

async function project(events: readonly RecordedEvent<NamingEvent>[], target: ProjectionTarget): Promise<void> {
  const names = new Map(events.map(({ stream, data }) => [parseBlankFormId(stream), data.name]));
  await insertRows(target, { table: target.table(BLANK_FORMS), columns: ['id', 'name'], rows: [...names], suffix: REPLACE_NAME });
}
