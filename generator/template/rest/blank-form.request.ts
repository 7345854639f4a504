import {
  definePage,
  defineResource,
  type DescribedAnswer,
  type DescribedBody,
  filteredPageRequest,
  pick,
  publicResource,
  totalCountHeader,
} from '#libs/http';
import { BlankOpenBlankForm } from '../commands/blank-open-blank-form.command.js';
import { BlankChangeBlankForm } from '../commands/blank-change-blank-form.command.js';
import { blankFormDecider, toBlankForm } from '../domain/blank-form.decider.js';
import { BLANK_CHANGE_FIELDS, BLANK_FORM_CATEGORY, BLANK_FORM_BLANK_STATES } from '../domain/blank-form.js';
import { blankFormFilters } from '../queries/blank-forms.query.js';

export class ListBlankFormsRequest extends filteredPageRequest(blankFormFilters) {}

const newExample = {
  // each field
  blankText: 'First',
  blankInteger: 1,
  blankTime: '2026-06-01T20:00:00.000Z',
  blankFlag: true,
  blankWord: 'blank-first',
};

export const blankFormExample = {
  id: 17,
  ...newExample,
  // if state
  blankState: 'blank-opened-state',
};

/** The body of a request to blank open one. */
export const newBlankFormBody: DescribedBody = {
  type: BlankOpenBlankForm,
  schema: 'NewBlankForm',
  description: 'What has to be said to blank open a blank form.',
  noun: 'a new blank form',
  examples: { blankForm: { value: newExample } },
};

// each route
/** The body of a request to blank change one. */
export const blankChangeBlankFormBody: DescribedBody = {
  type: BlankChangeBlankForm,
  without: ['id'],
  schema: 'BlankChangeBlankForm',
  description: 'What has to be said to blank change a blank form.',
  noun: 'this request',
  examples: { changed: { value: pick(newExample, BLANK_CHANGE_FIELDS) } },
};
// end

export const blankFormSchema = defineResource('BlankForm', {
  input: BlankOpenBlankForm,
  description: 'A blank form.',
  // if state
  further: { blankState: { type: 'string', enum: [...BLANK_FORM_BLANK_STATES], description: 'The blank state.' } },
});

export const blankFormAnswer: DescribedAnswer = {
  description: 'The blank form.',
  schema: blankFormSchema,
  examples: { blankForm: { value: blankFormExample } },
};

export const blankFormsAnswer: DescribedAnswer = {
  description: 'The page.',
  schema: definePage('BlankForms', blankFormSchema, 'A page of blank forms.'),
  examples: { page: { value: [blankFormExample] }, empty: { value: [] } },
  headers: totalCountHeader,
};

/** Data of public events: the blank form just after the event. */
export const publishedBlankForms = publicResource({
  category: BLANK_FORM_CATEGORY,
  collection: 'blank-forms',
  schema: blankFormSchema,
  example: () => blankFormExample,
  decider: blankFormDecider,
  show: (id, { state }) => (state.kind === 'none' ? undefined : toBlankForm(id, state)),
});
