import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database';
import { column, ReadModels, RowReader, streamProjection, type RowOf } from '#libs/event-sourcing';
import { blankFormDecider } from '../domain/blank-form.decider.js';
import { blankFormEvents } from '../domain/blank-form.events.js';

/** The blank forms that can be read, one row each. */
export const blankFormsProjection = streamProjection({
  name: 'blank-forms',
  version: 1,
  events: blankFormEvents,
  columns: { name: column.text() },
  evolve(blankForm, event) {
    const state = blankFormDecider.evolve(blankForm ? { kind: 'present', ...blankForm } : blankFormDecider.initialState, event);
    return state.kind === 'none' ? undefined : state;
  },
});

/** Reads the blank forms as of the last acknowledged change. */
@Injectable()
export class BlankFormReader extends RowReader<RowOf<typeof blankFormsProjection>> {
  constructor(database: Database, readModels: ReadModels) {
    super(blankFormsProjection, database, readModels);
  }
}
