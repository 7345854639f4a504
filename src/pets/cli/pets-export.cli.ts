import { setImmediate as nextTurn } from 'node:timers/promises';
import { QueryBus } from '@nestjs/cqrs';
import type { CliContext, CommandRegistration } from '#libs/cli-kit';
import type { Page } from '#libs/projections';
import type { Pet } from '../domain/pet.js';
import { ListPets } from '../queries/list-pets.query.js';
import { petsCommandGroup } from './pets.cli.js';

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
