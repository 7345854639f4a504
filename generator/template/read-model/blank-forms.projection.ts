import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database';
import { filter, ListReader, ReadModels, streamProjection } from '#libs/event-sourcing';
import { blankFormDecider } from '../domain/blank-form.decider.js';
import { blankFormEvents } from '../domain/blank-form.events.js';
import { BLANK_FORM_BLANK_WORDS, BLANK_FORM_BLANK_STATES } from '../domain/blank-form.js';
import { BlankFormRow } from './blank-form.entity.js';

/** The blank forms that can be read, one row each. */
export const blankFormsProjection = streamProjection({
  entity: BlankFormRow,
  version: 1,
  events: blankFormEvents,
  evolve(row, event) {
    const state = blankFormDecider.evolve(row ? { kind: 'present', ...row } : blankFormDecider.initialState, event);
    return state.kind === 'none' ? undefined : state;
  },
});

/** How the list of blank forms can be narrowed. */
export const blankFormFilters = {
  ids: filter.ids('id', { parameter: 'ids', description: 'Only the blank forms with these ids.' }),
  // each filter
  blankIntegerIn: filter.ids('blankInteger', {
    parameter: 'blankInteger',
    description: 'Only blank forms with one of these blank integers.',
  }),

  blankTimeSince: filter.since('blankTime', {
    parameter: 'blankTimeSince',
    description: 'Only blank forms whose `blankTime` is this moment or later.',
  }),

  blankTimeBefore: filter.before('blankTime', {
    parameter: 'blankTimeBefore',
    description: 'Only blank forms whose `blankTime` is before this moment.',
  }),

  blankWordIn: filter.words('blankWord', BLANK_FORM_BLANK_WORDS, {
    parameter: 'blankWord',
    description: 'Only blank forms with one of these blank words.',
  }),
  // if state
  blankStateIn: filter.words('blankState', BLANK_FORM_BLANK_STATES, {
    parameter: 'blankState',
    description: 'Only blank forms with one of these blank states.',
  }),
};

/** Reads the blank forms as of the last acknowledged change. */
@Injectable()
export class BlankFormReader extends ListReader<BlankFormRow, typeof blankFormFilters> {
  constructor(database: Database, readModels: ReadModels) {
    super(blankFormsProjection, blankFormFilters, database, readModels);
  }
}
