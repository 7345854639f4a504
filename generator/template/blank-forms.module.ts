import { Module } from '@nestjs/common';
import { BlankOpenBlankFormHandler } from './commands/blank-open-blank-form.command.js';
import { BlankCloseBlankFormHandler } from './commands/blank-close-blank-form.command.js';
import { BlankChangeBlankFormHandler } from './commands/blank-change-blank-form.command.js';
import { BlankFormsResolver } from './graphql/blank-forms.resolver.js';
import { CountBlankFormsHandler, GetBlankFormHandler, ListBlankFormsHandler } from './queries/blank-forms.query.js';
import { BlankFormReader } from './read-model/blank-forms.projection.js';
import { BlankFormsController } from './rest/blank-forms.controller.js';

const commandHandlers = [
  BlankOpenBlankFormHandler,
  // each command
  BlankCloseBlankFormHandler,
  BlankChangeBlankFormHandler,
];
const queryHandlers = [CountBlankFormsHandler, GetBlankFormHandler, ListBlankFormsHandler];

/** The blank forms over REST and GraphQL. */
@Module({
  controllers: [BlankFormsController],
  providers: [...commandHandlers, ...queryHandlers, BlankFormsResolver, BlankFormReader],
})
export class BlankFormsModule {}
