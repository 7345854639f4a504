import { domainModule } from '#libs/domain-modules';
import { BlankFormsModule } from './blank-forms.module.js';
import { registerBlankFormsCommands } from './cli/blank-forms.cli.js';
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
  commandLine: [registerBlankFormsCommands],
  documentTag: { description: 'The blank forms.' },
});
