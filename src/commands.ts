export { registerKeysCommands } from './auth/cli/keys.cli.js';
export { registerOperationsCommands } from './operations/command-line/operations.cli.js';
export { registerOrdersCommands } from './orders/cli/orders.cli.js';
export { registerPetsCommands } from './pets/cli/pets.cli.js';
export { registerWebhooksCommands } from './webhooks/cli/webhooks.cli.js';
