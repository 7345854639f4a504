import { QueryBus } from '@nestjs/cqrs';
import type { CommandRegistration } from '#libs/cli-kit';
import { keysCommandGroup, parseKeyId } from '../../auth/index.js';
import { GetKeyUsage } from '../queries/get-key-usage.query.js';

/** Adds `keys usage`. The result is printed as JSON. */
export const registerKeyUsageCommand: CommandRegistration = (program, context) => {
  keysCommandGroup(program)
    .command('usage')
    .description('print what a key has used up of its plan, as of the last second')
    .argument('<id>', "the key's number", parseKeyId)
    .option('--json', 'print JSON; it always is')
    .action(async (id: bigint) => {
      const application = await context.application();
      context.printJson(await application.get(QueryBus, { strict: false }).execute(new GetKeyUsage(id)));
    });
};
