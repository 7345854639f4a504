import { projectionTableName } from '#libs/event-sourcing';
import { apiKeySecretsTable, apiKeysProjection } from '../../src/auth/read-model/api-keys.projection.js';
import { ORDERS, ordersProjection } from '../../src/orders/read-model/orders.projection.js';
import { PETS, petsProjection } from '../../src/pets/read-model/pets.projection.js';

/** The tables of this build as they are named in the database, for tests that do to them what no command does. */
export const PETS_TABLE = projectionTableName(petsProjection, PETS);
export const ORDERS_TABLE = projectionTableName(ordersProjection, ORDERS);
export const API_KEY_SECRETS_TABLE = projectionTableName(apiKeysProjection, apiKeySecretsTable.name);
