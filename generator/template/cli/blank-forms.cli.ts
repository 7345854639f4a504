import type { Command } from '@nestjs/cqrs';
import { Option } from 'commander';
import { type CommandRegistration, countWithin, int64, table, time, trueOrFalse, wholeNumber } from '#libs/cli';
import { filteredRangeOf, type Unchecked } from '#libs/http';
import {
  BLANK_FORM_BLANK_STATES,
  BLANK_FORM_BLANK_WORDS,
  type BlankChangeValues,
  type BlankForm,
  type ChangedBlankForm,
  type NewBlankForm,
} from '../domain/blank-form.js';

const parseId = wholeNumber('ID must be a number in plain digits, such as 7', 1n);
const blankFormsTable = table<BlankForm>('There are no such blank forms.', (blankForm) => ({ ...blankForm }));

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
  // end
  addList(group, context);
};

/** Adds `list`, whose filters are named as those of REST. */
const addList: CommandRegistration = (group, context) => {
  group
    .command('list')
    .description('print a page of the blank forms')
    .option('--limit <count>', 'maximum number of blank forms', countWithin('--limit', 1, 1_000), 100)
    // each filter
    .option('--blank-integer <id>', 'only blank forms with this blank integer', (text) => [int64('--blank-integer')(text)])
    .option('--blank-time-since <time>', 'only blank forms whose `blankTime` is this or later', time('--blank-time-since'))
    .option('--blank-time-before <time>', 'only blank forms whose `blankTime` is before this', time('--blank-time-before'))
    .addOption(new Option('--blank-word <words...>', 'only blank forms with one of these blank words').choices(BLANK_FORM_BLANK_WORDS))
    // if state
    .addOption(new Option('--blank-state <words...>', 'only blank forms with one of these blank states').choices(BLANK_FORM_BLANK_STATES))
    // end
    .action(async (request: Parameters<typeof filteredRangeOf>[1]) => {
      const { blankFormFilters, ListBlankForms } = await import('../queries/blank-forms.query.js');
      const { items } = await context.query(new ListBlankForms(filteredRangeOf(blankFormFilters, request)));
      context.print(items, blankFormsTable);
    });
};
