import { entityTable } from '#libs/database';
import { projectionTableName } from '#libs/event-sourcing';
import { ApiKeySecret } from '../../src/auth/read-model/api-key.entity.js';
import { apiKeysProjection } from '../../src/auth/read-model/api-keys.projection.js';
import { ordersProjection } from '../../src/orders/read-model/orders.projection.js';
import { petsProjection } from '../../src/pets/read-model/pets.projection.js';

/** The tables of this build as they are named in the database, for tests that do to them what no command does. */
export const PETS_TABLE = projectionTableName(petsProjection, petsProjection.table.name);
export const ORDERS_TABLE = projectionTableName(ordersProjection, ordersProjection.table.name);
export const API_KEY_SECRETS_TABLE = projectionTableName(apiKeysProjection, entityTable(ApiKeySecret).name);
