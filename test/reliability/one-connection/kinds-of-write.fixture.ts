import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from '#libs/testing';
import { ApiClient } from '../../e2e/api-client.fixture.js';
import type { Finished } from '../../e2e/built-service.fixture.js';
import { runHere } from '../../e2e/command-line.fixture.js';
import { queryDatabase } from '../history/final-state.fixture.js';
import type { AddAttempt, FinalState } from '../history/history.js';
import { addOnce } from './wholeness.fixture.js';

const IMPORTED_AT_ONCE = 3;
/** The variables of a service that bans a key for its second refusal. */
export const BANS_EARLY = { BAN_AFTER: '1', BAN_GRACE_SECONDS: '0', BAN_LADDER_SECONDS: '3600' };

/** A kind of write, done once at a time. */
export interface KindOfWrite {
  readonly name: string;
  /** Who writes: the service, or a command beside it. */
  readonly by: 'service' | 'command';
  /** Writes once, whatever comes of it. @param label names the write, and no other */
  write(label: string): Promise<void>;
  /** Brings what was begun to its end, with nothing in the way. */
  finish?(label: string): Promise<unknown>;
  /** One sentence for each write of which something else is there than its outcome allows. */
  check(state: FinalState): Iterable<string>;
}

/** What the writes are done with. */
export interface TestContext {
  readonly origin: string;
  /** A key without limits. */
  readonly key: string;
  readonly folder: string;
  /** The database as commands reach it while something may fail. */
  readonly commandUrl: string;
  /** The database with nothing in the way. */
  readonly directUrl: string;
  /** Where the attempts to add an animal go. */
  readonly adds: AddAttempt[];
  /** Where the names go that are added in another way. */
  readonly others: Set<string>;
}

/** `POST /v1/pets`, with an idempotency key or without. */
export function append({ origin, key, adds }: TestContext, { idempotent }: { readonly idempotent: boolean }): KindOfWrite {
  const client = new ApiClient(origin, key);
  return {
    name: idempotent ? 'append with a key' : 'append',
    by: 'service',
    async write(label) {
      adds.push(await addOnce(client, label, idempotent ? randomUUID() : undefined));
    },
    check: () => [],
  };
}

/** `pets import`, which the same command finishes. */
export function importOfPets(surroundings: TestContext): KindOfWrite {
  const getName = (label: string, index: number) => `${label}: ${index + 1}`;
  const labels: string[] = [];
  const run = async (url: string, label: string): Promise<Finished> => {
    const lines = Array.from({ length: IMPORTED_AT_ONCE }, (_, index) => JSON.stringify({ name: getName(label, index), categoryId: 1 }));
    const file = join(surroundings.folder, 'imported.ndjson');
    await writeFile(file, `${lines.join('\n')}\n`);
    return runOn(url, 'pets', 'import', file);
  };
  return {
    name: 'import',
    by: 'command',
    async write(label) {
      labels.push(label);
      for (let index = 0; index < IMPORTED_AT_ONCE; index += 1) surroundings.others.add(getName(label, index));
      await run(surroundings.commandUrl, label);
    },
    finish: async (label) => succeeded(await run(surroundings.directUrl, label)),
    *check({ events }) {
      for (const label of labels) {
        for (let index = 0; index < IMPORTED_AT_ONCE; index += 1) {
          const name = getName(label, index);
          const count = events.filter(
            ({ type, data }) => type === 'pet-added' && (JSON.parse(data) as { name: string }).name === name,
          ).length;
          if (count !== 1) yield `${name} is in the log ${count} times after its import`;
        }
      }
    },
  };
}

/** `projections rebuild`. */
export function rebuild({ commandUrl, directUrl }: TestContext): KindOfWrite {
  const run = (url: string) => runOn(url, 'projections', 'rebuild', 'pets');
  return {
    name: 'rebuild',
    by: 'command',
    async write() {
      await run(commandUrl);
    },
    finish: async () => succeeded(await run(directUrl)),
    check: () => [],
  };
}

/** `keys rotate`, after which the new token is let in where it was printed. */
export async function rotation({ origin, commandUrl, directUrl }: TestContext): Promise<KindOfWrite> {
  const { id } = await createKey(directUrl);
  const violations: string[] = [];
  let printed: string | undefined;
  return {
    name: 'key rotation',
    by: 'command',
    async write() {
      const { code, stdout } = await runOn(commandUrl, 'keys', 'rotate', id);
      printed = code === 0 ? keyOf(stdout).key : undefined;
    },
    async finish(label) {
      if (printed === undefined) return;
      const client = new ApiClient(origin, printed);
      const { status } = await client.get('/v1/pets?limit=1');
      if (status !== 200) violations.push(`the token of ${label} was printed and is answered with ${status}`);
    },
    check: () => violations,
  };
}

/** The ban of a key of its own, which the service writes down beside the requests that it refuses. */
export function ban({ origin, directUrl }: TestContext): KindOfWrite {
  const banned: { readonly label: string; readonly id: string }[] = [];
  return {
    name: 'ban',
    by: 'service',
    async write(label) {
      const { id, key } = await createKey(directUrl, 1);
      banned.push({ label, id });
      const client = new ApiClient(origin, key);
      while (!(await client.get('/v1/pets')).text.includes('"key_banned"'));
      const recorded = `SELECT 1 FROM "events" WHERE "stream_id" = 'api-key-${id}' AND "type" = 'api-key-banned'`;
      await until(async () => (await queryDatabase(directUrl, recorded)).length > 0);
    },
    *check({ events }) {
      for (const { label, id } of banned) {
        const count = events.filter(({ stream, type }) => stream === `api-key-${id}` && type === 'api-key-banned').length;
        if (count !== 1) yield `the ban of ${label} is in the log ${count} times`;
      }
    },
  };
}

async function createKey(url: string, perMinute = 1_000): Promise<{ readonly id: string; readonly key: string }> {
  const words = `keys create --name faults --plan enterprise --scopes pets --per-minute ${perMinute} --per-day 1000`.split(' ');
  return keyOf(succeeded(await runOn(url, ...words)).stdout);
}

function keyOf(stdout: string): { readonly id: string; readonly key: string } {
  const { id, key } = JSON.parse(stdout) as { id: number | string; key: string };
  return { id: String(id), key };
}

function runOn(url: string, ...words: readonly string[]): Promise<Finished> {
  return runHere({ DATABASE_URL: url, LOG_LEVEL: 'silent' }, words);
}

function succeeded(finished: Finished): Finished {
  if (finished.code !== 0) throw new Error(`a command ended with ${finished.code}: ${finished.stderr}`);
  return finished;
}
