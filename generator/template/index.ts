import { domainModule } from '#libs/http';
import { BlankFormsModule } from './blank-forms.module.js';
import { blankFormErrors } from './domain/blank-form.errors.js';
import { blankFormEvents } from './domain/blank-form.events.js';
import { blankFormsProjection } from './read-model/blank-forms.projection.js';

/** The blank forms. */
export const blankForms = domainModule({
  name: 'blank-forms',
  module: BlankFormsModule,
  events: blankFormEvents,
  projections: [blankFormsProjection],
  scopes: { 'blank-forms': { description: 'REST under `/v1/blank-forms`' } },
  errors: blankFormErrors,
  documentTag: { description: 'The blank forms.' },
});
