import type { DataSource, QueryRunner } from 'typeorm';
import { sharesSessions } from './durability.js';

const OLDEST_VERSION = 140_000;

/** @throws Error when the server is older than PostgreSQL 14. */
export async function refuseOldServer(runner: QueryRunner): Promise<void> {
  if (Number(await show(runner, 'server_version_num')) >= OLDEST_VERSION) return;
  throw new Error(`PostgreSQL ${await show(runner, 'server_version')} is too old; version 14 or newer is needed`);
}

/** One sentence for each setting of the server, or of the way to it, by which an acknowledged write may be lost. */
export async function findUnsafeSettings(source: DataSource, readSource: DataSource): Promise<string[]> {
  const findings = await findUnsafeValues(source);
  if (await sharesSessions(source, readSource)) {
    findings.push(
      'PostgreSQL is reached through a pooler in transaction mode, which this service is not made for: use one in session mode, or none. ' +
        'Each commit waits for the disk under the write lock.',
    );
  }
  return findings;
}

async function findUnsafeValues(source: DataSource): Promise<string[]> {
  const runner = source.createQueryRunner();
  try {
    const findings: string[] = [];
    if ((await show(runner, 'fsync')) === 'off') {
      findings.push('PostgreSQL runs with fsync = off: a crash of its machine may destroy the whole database.');
    }
    if ((await show(runner, 'synchronous_commit')) === 'off') {
      findings.push('PostgreSQL runs with synchronous_commit = off: a crash may lose writes that were acknowledged.');
    }
    return findings;
  } finally {
    await runner.release();
  }
}

async function show(runner: QueryRunner, setting: string): Promise<string> {
  const rows = (await runner.query(`SELECT current_setting('${setting}') AS "value"`)) as { value: string }[];
  return rows[0]?.value ?? '';
}
