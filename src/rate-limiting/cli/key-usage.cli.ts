import { QueryBus } from '@nestjs/cqrs';
import type { CommandRegistration } from '#libs/cli-kit';
import { GetApiKey, keysCommandGroup, parseKeyId } from '../../auth/index.js';
import { ListKeyUsages } from '../queries/list-key-usages.query.js';

/** Adds `keys usage`. The result is printed as JSON. */
export const registerKeyUsageCommand: CommandRegistration = (program, context) => {
  keysCommandGroup(program)
    .command('usage')
    .description('print what a key has used up of its plan, as of the last second')
    .argument('<id>', "the key's number", parseKeyId)
    .option('--json', 'print JSON; it always is')
    .action(async (id: bigint) => {
      const application = await context.application();
      const queries = application.get(QueryBus, { strict: false });
      const key = await queries.execute(new GetApiKey(id));
      const [usage] = await queries.execute(new ListKeyUsages([key]));
      context.printJson(usage);
    });
};
