import { wholeNumber, type CommandRegistration } from '#libs/cli';
import type { EventMetadata } from '#libs/event-sourcing';

const METADATA: EventMetadata = { actor: 'cli' };

const parseId = wholeNumber('ID must be a number in plain digits, such as 7', 1n);

/** Adds `blank-forms add` and `blank-forms rename`. Each prints what it worked on. */
export const registerBlankFormsCommands: CommandRegistration = (program, context) => {
  const group = program.command('blank-forms').description('add and rename blank forms');
  group
    .command('add')
    .description('add one')
    .requiredOption('--name <name>', 'its name')
    .action(async ({ name }: { name: string }) => {
      const { AddBlankForm } = await import('../commands/add-blank-form.command.js');
      const { blankForm } = await context.execute(new AddBlankForm({ name }, METADATA));
      context.print(blankForm);
    });
  group
    .command('rename')
    .description('give one another name')
    .argument('<id>', 'its number', parseId)
    .requiredOption('--name <name>', 'the name that it gets')
    .action(async (id: bigint, { name }: { name: string }) => {
      const { RenameBlankForm } = await import('../commands/rename-blank-form.command.js');
      const { blankForm, changed } = await context.execute(new RenameBlankForm({ id, name }, METADATA));
      context.print({ ...blankForm, changed });
      if (!changed) context.note('Nothing was changed: it has that name already.');
    });
};
