import { CommandBus } from '@nestjs/cqrs';
import { int64Of, type CommandRegistration } from '#libs/cli-kit';
import type { EventMetadata } from '#libs/event-store';
import { AddBlankForm } from '../commands/add-blank-form.command.js';
import { RenameBlankForm } from '../commands/rename-blank-form.command.js';

const METADATA: EventMetadata = { actor: 'cli' };

/** Adds `blank-forms add` and `blank-forms rename`. Each prints what it worked on as JSON. */
export const registerBlankFormsCommands: CommandRegistration = (program, context) => {
  const group = program.command('blank-forms').description('add and rename blank forms');
  const commandBus = async () => (await context.application()).get(CommandBus, { strict: false });
  group
    .command('add')
    .description('add one')
    .requiredOption('--name <name>', 'its name')
    .action(async ({ name }: { name: string }) => {
      const { blankForm } = await (await commandBus()).execute(new AddBlankForm({ name }, METADATA));
      context.printJson(blankForm);
    });
  group
    .command('rename <id>')
    .description('give one another name')
    .requiredOption('--name <name>', 'the name that it gets')
    .action(async (id: string, { name }: { name: string }) => {
      const command = new RenameBlankForm({ id: int64Of(id), name }, METADATA);
      const { blankForm, changed } = await (await commandBus()).execute(command);
      context.printJson({ ...blankForm, changed });
    });
};
