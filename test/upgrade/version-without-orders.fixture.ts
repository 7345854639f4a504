import type { SourceChanges } from '../builds/changed-build.fixture.js';

/** What makes of this version the one before orders: it knows none of their events, nor that an animal can be reserved for one. */
export const withoutOrders: SourceChanges = {
  'src/modules.ts': [{ replace: `export { orders } from './orders/index.js';`, by: '' }],
  'src/commands.ts': [{ replace: `export { registerOrdersCommands } from './orders/cli/orders.cli.js';`, by: '' }],
  'src/pets/domain/pet.events.ts': [
    {
      replace: `schemaVersion: 2,
    data: { status: PET_STATUSES, 'orderId?': 'int64' },
    upcasters: { 1: (data: object) => data },`,
      by: 'schemaVersion: 1, data: { status: PET_STATUSES },',
    },
  ],
  'src/pets/domain/pet.decider.ts': [
    { replace: ', reservedBy: nextReservation(event, state) };', by: ' };' },
    { replace: 'if (reservedBy !== undefined) throw new PetHasOpenOrderError(id, reservedBy);', by: '' },
  ],
};
