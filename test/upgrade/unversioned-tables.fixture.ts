import { migrateDatabase, parseDatabaseUrl } from '#libs/database';
import { createToken, hashToken } from '../../src/auth/domain/api-key-token.js';
import { composition } from '../../src/bootstrap/composition.js';
import { execute } from '../databases/test-database.fixture.js';

const { migrations } = composition();

const FIRST_OF_VERSIONED_TABLES = 'NotePositionsOfEventTypes1767226400000';

/** The key that such a database holds. */
export const TOKEN = createToken('development', new Uint8Array(32).fill(9));

const HASH = hashToken(TOKEN);
const ADDED_AT = Date.UTC(2026, 0, 1);
const ISSUED = JSON.stringify({
  ...{ name: 'website', plan: 'enterprise', perMinute: 1_000_000, perDay: 1_000_000 },
  ...{ scopes: ['pets'], deployment: 'development', hash: HASH, expiresAt: null },
});

/** The tables of projections as they were when their names carried no version. */
const TABLES = `
  CREATE TABLE "pets" ("id" BIGINT NOT NULL, "name" TEXT NOT NULL, "category_id" BIGINT NOT NULL, "status" TEXT NULL,
    "added_at" BIGINT NOT NULL, "version" BIGINT NOT NULL, PRIMARY KEY ("id"));
  CREATE INDEX "pets_status_id" ON "pets" ("status", "id");
  CREATE INDEX "pets_category_id_id" ON "pets" ("category_id", "id");
  CREATE TABLE "pet_status_counts" ("status" TEXT NOT NULL, "count" BIGINT NOT NULL, PRIMARY KEY ("status"));
  CREATE TABLE "pet_category_counts" ("category_id" BIGINT NOT NULL, "status" TEXT NOT NULL, "count" BIGINT NOT NULL,
    PRIMARY KEY ("category_id", "status"));
  CREATE TABLE "api_keys" ("id" BIGINT NOT NULL, "name" TEXT NOT NULL, "plan" TEXT NOT NULL, "per_minute" BIGINT NULL,
    "per_day" BIGINT NULL, "scopes" TEXT NOT NULL, "created_at" TEXT NOT NULL, "expires_at" TEXT NULL, "revoked_at" TEXT NULL,
    "rotated_at" TEXT NULL, "previous_valid_until" TEXT NULL, "banned_until" TEXT NULL, "ban_step" BIGINT NULL,
    "unbans" BIGINT NOT NULL, "version" BIGINT NOT NULL, PRIMARY KEY ("id"));
  CREATE TABLE "api_key_secrets" ("hash" TEXT NOT NULL, "key_id" BIGINT NOT NULL, "valid_until" TEXT NULL, "version" BIGINT NOT NULL,
    PRIMARY KEY ("hash"));
  CREATE INDEX "api_key_secrets_key_id" ON "api_key_secrets" ("key_id");`;

const ROWS = `
  INSERT INTO "events" VALUES
    (1, 'api-key-1', 1, 'a', 'api-key-issued', 1, '${ISSUED}', '{"actor":"cli"}', ${ADDED_AT}),
    (2, 'pet-1', 1, 'b', 'pet-added', 1, '{"name":"Rex","categoryId":"9223372036854775807"}', '{"actor":"api-key-1"}', ${ADDED_AT}),
    (3, 'pet-2', 1, 'c', 'pet-added', 1, '{"name":"Ana","categoryId":"7"}', '{"actor":"api-key-1"}', ${ADDED_AT}),
    (4, 'pet-1', 2, 'd', 'pet-status-set', 1, '{"status":"sold"}', '{"actor":"cli"}', ${ADDED_AT}),
    (5, 'pet-2', 2, 'e', 'pet-withdrawn', 1, '{"reason":"entered twice"}', '{"actor":"cli"}', ${ADDED_AT});
  INSERT INTO "sequences" VALUES ('position', 5), ('stream:api-key', 1), ('stream:pet', 2);
  INSERT INTO "projection_checkpoints" VALUES ('pets', 2, 1, 5, NULL), ('api-keys', 2, 1, 1, NULL);
  INSERT INTO "pets" VALUES (1, 'Rex', 9223372036854775807, 'sold', ${ADDED_AT}, 2);
  INSERT INTO "pet_status_counts" VALUES ('sold', 1);
  INSERT INTO "pet_category_counts" VALUES (9223372036854775807, 'sold', 1);
  INSERT INTO "api_keys" VALUES (1, 'website', 'enterprise', 1000000, 1000000, 'pets', '2026-01-01T00:00:00.000Z', NULL, NULL, NULL,
    NULL, NULL, NULL, 0, 1);
  INSERT INTO "api_key_secrets" VALUES ('${HASH}', 1, NULL, 1);`;

/** Makes of an empty database one as builds left it whose projections had no version: a key, an animal, and one that was withdrawn. */
export async function fillAsBeforeVersions(url: string): Promise<void> {
  const before = migrations.findIndex(({ name }) => name === FIRST_OF_VERSIONED_TABLES);
  await migrateDatabase(parseDatabaseUrl(url), migrations.slice(0, before));
  await execute(url, TABLES + ROWS);
}
