import type { INestApplicationContext } from '@nestjs/common';
import { ManagementServer, type ManagementAddress } from '#libs/management';

/**
 * Opens the management port. Resolves with its origin.
 * @throws Error that names MANAGEMENT_PORT or MANAGEMENT_HOST when it cannot be opened.
 */
export async function startManagement(app: INestApplicationContext, address: ManagementAddress): Promise<string> {
  try {
    return await app.get(ManagementServer, { strict: false }).listen(address);
  } catch (error) {
    throw new Error(refusal(error as NodeJS.ErrnoException, address), { cause: error });
  }
}

function refusal({ code, message }: NodeJS.ErrnoException, { host, port }: ManagementAddress): string {
  if (code === 'EADDRINUSE') return `MANAGEMENT_PORT ${port} of ${host} is taken; choose another one, 0 for any or off for none.`;
  return `MANAGEMENT_HOST ${host} with MANAGEMENT_PORT ${port} cannot be opened: ${message}`;
}
