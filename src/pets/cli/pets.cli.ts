import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  acceptYes,
  isConfirmed,
  textOf,
  wholeNumber,
  type CliContext,
  type CommandRegistration,
  type ConfirmationOptions,
} from '#libs/cli-kit';
import type { EventMetadata } from '#libs/event-store';
import type { Page } from '#libs/projections';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { Argument, type Command } from 'commander';
import { type ChangePetResult, ChangePet } from '../commands/change-pet.command.js';
import { WithdrawPet } from '../commands/withdraw-pet.command.js';
import { PET_STATUSES, type Pet } from '../domain/pet.js';
import { GetPet, ListPets } from '../queries/pets.query.js';

const METADATA: EventMetadata = { actor: 'cli' };

const parsePetId = wholeNumber("ID must be an animal's number in plain digits, such as 7", 1n);
const parseCategoryId = wholeNumber('--category-id must be an int64 in plain digits, such as 7 or -7', -(2n ** 63n));

/** The `pets` group of the program, made when it is first asked for, so that each part adds its own commands to it. */
export function petsCommandGroup(program: Command): Command {
  return (
    program.commands.find((command) => command.name() === 'pets') ?? program.command('pets').description('what operators do with animals')
  );
}

/** Adds what no REST operation may do. Each prints the animal as JSON and whether it was changed. */
export const registerPetsCommands: CommandRegistration = (program, context) => {
  const pets = petsCommandGroup(program);
  ofAnimal(pets, 'set-status', 'set the status of an animal')
    .addArgument(new Argument('<status>', 'the status that it gets').choices(PET_STATUSES))
    .action((id: bigint, status: string) => change(context, new ChangePet({ id, status }, METADATA)));
  ofAnimal(pets, 'correct', 'correct what was recorded wrongly of an animal')
    .option('--name <name>', 'the right name')
    .option('--category-id <id>', 'the right category', parseCategoryId)
    .action((id: bigint, values: { name?: string; categoryId?: bigint }) => change(context, new ChangePet({ id, ...values }, METADATA)));
  addWithdraw(pets, context);
};

function addWithdraw(pets: Command, context: CliContext): void {
  const withdraw = ofAnimal(
    pets,
    'withdraw',
    'take an animal out of every read and cancel its open order; its history is kept',
  ).requiredOption('--reason <reason>', 'why it goes');
  acceptYes(withdraw).action(async (id: bigint, { reason, ...options }: ConfirmationOptions & { readonly reason: string }) => {
    if (!(await isConfirmed(context, options, () => withdrawalQuestion(context, id)))) return;
    await change(context, new WithdrawPet({ id, reason }, METADATA));
  });
}

async function withdrawalQuestion(context: CliContext, id: bigint): Promise<string | undefined> {
  const application = await context.application();
  const pet = await application.get(QueryBus, { strict: false }).execute(new GetPet(id));
  return pet && `Withdraw the animal ${id} (${textOf(pet.name)}) for ever, and cancel its open order if there is one?`;
}

function ofAnimal(pets: Command, name: string, description: string): Command {
  return pets.command(name).description(description).argument('<id>', "the animal's number", parsePetId);
}

async function change(context: CliContext, command: ChangePet | WithdrawPet): Promise<void> {
  const application = await context.application();
  const { pet, ...outcome }: ChangePetResult = await application.get(CommandBus, { strict: false }).execute(command);
  context.print({ ...pet, ...outcome });
  if (!outcome.changed) context.note('Nothing was changed: it is all so already.');
}

const PAGE_SIZE = 1_000;

interface ExportOptions {
  readonly withIds?: boolean;
}

/** Adds `pets export`. */
export const registerPetsExport: CommandRegistration = (program, context) => {
  petsCommandGroup(program)
    .command('export')
    .description('print all animals as NDJSON, ascending by id, for "pets import"')
    .option('--with-ids', 'add the ids, for other programs: "pets import" refuses them, as a new animal has none yet')
    .action((options: ExportOptions) => exportPets(context, options));
};

async function exportPets(context: CliContext, { withIds = false }: ExportOptions): Promise<void> {
  const application = await context.application();
  const queries = application.get(QueryBus, { strict: false });
  let after: bigint | undefined;
  do {
    const { items, next }: Page<Pet> = await queries.execute(new ListPets({ limit: PAGE_SIZE, after }));
    for (const pet of items) context.printJson(exported(pet, withIds));
    // A reader that has gone away is noticed between two turns of the event loop.
    await nextTurn();
    after = next;
  } while (after !== undefined);
}

function exported({ id, name, categoryId, status }: Pet, withIds: boolean): object {
  return { ...(withIds && { id }), name, categoryId, ...(status && { status }) };
}
