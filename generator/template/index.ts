import { domainModule } from '#libs/http';
import { BlankFormsModule } from './blank-forms.module.js';
import { blankFormEvents } from './domain/blank-form.events.js';
import { blankFormsProjection } from './read-model/blank-forms.projection.js';
import { publishedBlankForms } from './rest/blank-form.request.js';

/** The blank forms. */
export const blankForms = domainModule({
  name: 'blank-forms',
  module: BlankFormsModule,
  events: blankFormEvents,
  publishes: [publishedBlankForms],
  projections: [blankFormsProjection],
  scopes: { 'blank-forms': { description: 'REST under `/v1/blank-forms`' } },
  documentTag: { title: 'Blank forms', description: 'The blank forms.' },
});
