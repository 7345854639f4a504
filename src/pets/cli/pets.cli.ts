import { setImmediate as nextTurn } from 'node:timers/promises';
import { Argument, type Command } from 'commander';
import {
  acceptYes,
  commandGroup,
  isConfirmed,
  getCellText,
  readPages,
  wholeNumber,
  type CliContext,
  type CommandRegistration,
  type ConfirmationOptions,
} from '#libs/cli';
import type { PetValues } from '../commands/add-pet.command.js';
import type { ChangePetResult, ChangePet, WithdrawPet } from '../commands/change-pet.command.js';
import { PET_STATUSES } from '../domain/pet.js';
import { addImport } from './pets-import.cli.js';

const parsePetArgument = wholeNumber("ID must be an animal's number in plain digits, such as 7", 1n);
const parseCategoryId = wholeNumber('--category-id must be an int64 in plain digits, such as 7 or -7', -(2n ** 63n));

/** Adds `pets set-status|correct|withdraw|import|export`. */
export const registerPetsCommands: CommandRegistration = (program, context) => {
  const pets = commandGroup(program, 'pets', 'change, import and export animals');
  addPetCommand(pets, 'set-status', 'set the status of an animal')
    .addArgument(new Argument('<status>', 'new status').choices(PET_STATUSES))
    .action((id: bigint, status: string) => change(context, { id, status }));
  addPetCommand(pets, 'correct', 'correct what is recorded of an animal')
    .option('--name <name>', 'correct name')
    .option('--category-id <id>', 'correct category', parseCategoryId)
    .action((id: bigint, values: PetValues) => change(context, { id, ...values }));
  addWithdraw(pets, context);
  addImport(pets, context);
  addExport(pets, context);
};

function addWithdraw(pets: Command, context: CliContext): void {
  const withdraw = addPetCommand(pets, 'withdraw', 'withdraw an animal and cancel its open order; its history is kept').requiredOption(
    '--reason <reason>',
    'reason of the withdrawal',
  );
  acceptYes(withdraw).action(async (id: bigint, { reason, ...options }: ConfirmationOptions & { readonly reason: string }) => {
    if (!(await isConfirmed(context, options, () => withdrawalQuestion(context, id)))) return;
    const { WithdrawPet } = await import('../commands/change-pet.command.js');
    await printChange(context, new WithdrawPet({ id, reason }, context.metadata));
  });
}

async function withdrawalQuestion(context: CliContext, id: bigint): Promise<string | undefined> {
  const { GetPet } = await import('../queries/pets.query.js');
  const pet = await context.query(new GetPet(id));
  return pet && `Withdraw the animal ${id} (${getCellText(pet.name)}) permanently, and cancel its open order if there is one?`;
}

function addPetCommand(pets: Command, name: string, description: string): Command {
  return pets.command(name).description(description).argument('<id>', "the animal's number", parsePetArgument);
}

async function change(context: CliContext, input: PetValues & Pick<ChangePet, 'id'>): Promise<void> {
  const { ChangePet } = await import('../commands/change-pet.command.js');
  await printChange(context, new ChangePet(input, context.metadata));
}

async function printChange(context: CliContext, command: ChangePet | WithdrawPet): Promise<void> {
  const { pet, ...outcome }: ChangePetResult = await context.execute(command);
  context.print({ ...pet, ...outcome });
  if (!outcome.changed) context.note('Nothing was changed: the animal has these values already.');
}

function addExport(pets: Command, context: CliContext): void {
  pets
    .command('export')
    .description('print all animals as NDJSON, ascending by id, for "pets import"')
    .option('--with-ids', 'add the ids, for other programs; "pets import" rejects them')
    .action(({ withIds = false }: { readonly withIds?: boolean }) => exportPets(context, withIds));
}

async function exportPets(context: CliContext, withIds: boolean): Promise<void> {
  const { ListPets } = await import('../queries/pets.query.js');
  const { toPet } = await import('../domain/pet-fields.js');
  for await (const page of readPages(context, (range) => new ListPets({ ...range, filters: {} }))) {
    const pets = page.map((pet) => ({ ...toPet(pet), id: withIds ? pet.id : undefined }));
    context.printJson(...pets);
    // A reader that has gone away is noticed between two turns of the event loop.
    await nextTurn();
  }
}
