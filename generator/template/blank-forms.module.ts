import { Module } from '@nestjs/common';
import { AddBlankFormHandler } from './commands/add-blank-form.command.js';
import { RenameBlankFormHandler } from './commands/rename-blank-form.command.js';
import { BlankFormsResolver } from './graphql/blank-forms.resolver.js';
import { GetBlankFormHandler, ListBlankFormsHandler } from './queries/blank-forms.query.js';
import { BlankFormReader } from './read-model/blank-forms.projection.js';
import { BlankFormsController } from './rest/blank-forms.controller.js';

const commandHandlers = [AddBlankFormHandler, RenameBlankFormHandler];
const queryHandlers = [GetBlankFormHandler, ListBlankFormsHandler];

/** The blank forms over REST and GraphQL. */
@Module({
  controllers: [BlankFormsController],
  providers: [...commandHandlers, ...queryHandlers, BlankFormsResolver, BlankFormReader],
})
export class BlankFormsModule {}
