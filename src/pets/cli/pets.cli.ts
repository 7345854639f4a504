import { CommandBus } from '@nestjs/cqrs';
import type { Command } from 'commander';
import { int64Of, type CliContext, type CommandRegistration } from '#libs/cli-kit';
import type { EventMetadata } from '#libs/event-store';
import type { ChangePetResult } from '../commands/change-pet.js';
import { ChangePet } from '../commands/change-pet.command.js';
import { WithdrawPet } from '../commands/withdraw-pet.command.js';
import { PET_STATUSES } from '../domain/pet.js';

const METADATA: EventMetadata = { actor: 'cli' };

/** The `pets` group of the program, made when it is first asked for, so that each part adds its own commands to it. */
export function petsCommandGroup(program: Command): Command {
  return (
    program.commands.find((command) => command.name() === 'pets') ?? program.command('pets').description('what operators do with animals')
  );
}

/** Adds what no REST operation may do. Each prints the animal as JSON and whether it was changed. */
export const registerPetsCommands: CommandRegistration = (program, context) => {
  const pets = petsCommandGroup(program);
  subcommand(pets, 'set-status <id> <status>', `set the status of an animal: ${PET_STATUSES.join(', ')}`).action(
    async (id: string, status: string) => change(context, new ChangePet({ id: int64Of(id), status }, METADATA)),
  );
  subcommand(pets, 'correct <id>', 'correct what was recorded wrongly of an animal')
    .option('--name <name>', 'the right name')
    .option('--category-id <id>', 'the right category')
    .action(async (id: string, { name, categoryId }: { name?: string; categoryId?: string }) =>
      change(
        context,
        new ChangePet({ id: int64Of(id), name, categoryId: categoryId === undefined ? undefined : int64Of(categoryId) }, METADATA),
      ),
    );
  subcommand(pets, 'withdraw <id>', 'take an animal out of every read and cancel its open order; its history is kept')
    .requiredOption('--reason <reason>', 'why it goes')
    .action(async (id: string, { reason }: { reason: string }) => change(context, new WithdrawPet({ id: int64Of(id), reason }, METADATA)));
};

function subcommand(pets: Command, nameAndArguments: string, description: string): Command {
  return pets.command(nameAndArguments).description(description).option('--json', 'print JSON; it always is');
}

async function change(context: CliContext, command: ChangePet | WithdrawPet): Promise<void> {
  const application = await context.application();
  const { pet, ...outcome }: ChangePetResult = await application.get(CommandBus, { strict: false }).execute(command);
  context.printJson({ ...pet, ...outcome });
}
