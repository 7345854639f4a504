import type { Command } from '@nestjs/cqrs';
import { Option } from 'commander';
import { type CommandRegistration, int64, time, trueOrFalse, wholeNumber } from '#libs/cli';
import type { Unchecked } from '#libs/http';
import { BLANK_FORM_BLANK_WORDS, type BlankChangeValues, type ChangedBlankForm, type NewBlankForm } from '../domain/blank-form.js';

const parseId = wholeNumber('ID must be a number in plain digits, such as 7', 1n);

/** The commands for blank forms. Each prints what it worked on. */
export const registerBlankFormsCommands: CommandRegistration = (program, context) => {
  const group = program.command('blank-forms').description('work with blank forms');
  const addChange = (name: string, what: string) => group.command(name).description(what).argument('<id>', 'its number', parseId);
  const change = async (command: Command<ChangedBlankForm>) => {
    const { blankForm, changed } = await context.execute(command);
    context.print({ ...blankForm, changed });
    if (!changed) context.note('Nothing was changed: it is so already.');
  };
  group
    .command('blank-open')
    .description('blank open a blank form')
    // each field
    .option('--blank-text <blank-text>', 'the blank text')
    .option('--blank-integer <blank-integer>', 'the blank integer', int64('--blank-integer'))
    .option('--blank-time <blank-time>', 'the blank time', time('--blank-time'))
    .option('--blank-flag <blank-flag>', 'the blank flag', trueOrFalse('--blank-flag'))
    .addOption(new Option('--blank-word <blank-word>', 'the blank word').choices(BLANK_FORM_BLANK_WORDS))
    // end
    .action(async (values: Unchecked<NewBlankForm>) => {
      const { BlankOpenBlankForm } = await import('../commands/blank-open-blank-form.command.js');
      const { blankForm } = await context.execute(new BlankOpenBlankForm(values, context.metadata));
      context.print(blankForm);
    });
  // each route
  addChange('blank-close', 'blank close a blank form').action(async (id: bigint) => {
    const { BlankCloseBlankForm } = await import('../commands/blank-close-blank-form.command.js');
    await change(new BlankCloseBlankForm({ id }, context.metadata));
  });

  addChange('blank-change', 'blank change a blank form')
    // each field
    .option('--blank-text <blank-text>', 'the blank text')
    .option('--blank-integer <blank-integer>', 'the blank integer', int64('--blank-integer'))
    .option('--blank-time <blank-time>', 'the blank time', time('--blank-time'))
    .option('--blank-flag <blank-flag>', 'the blank flag', trueOrFalse('--blank-flag'))
    .addOption(new Option('--blank-word <blank-word>', 'the blank word').choices(BLANK_FORM_BLANK_WORDS))
    // end
    .action(async (id: bigint, values: Unchecked<BlankChangeValues>) => {
      const { BlankChangeBlankForm } = await import('../commands/blank-change-blank-form.command.js');
      await change(new BlankChangeBlankForm({ ...values, id }, context.metadata));
    });
};
