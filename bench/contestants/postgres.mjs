import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { processorSeconds } from './processor-time.mjs';

/** Creates an empty database on the server at a URL. */
export async function createPostgresDatabase(serverUrl) {
  const name = `adoption_bench_${randomUUID().slice(0, 8)}`;
  await onServer(serverUrl, `CREATE DATABASE "${name}"`);
  const url = new URL(serverUrl);
  url.pathname = name;
  return { url: url.href, drop: () => onServer(serverUrl, `DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`) };
}

/** Has the planner know how much there is in a database now. */
export function analyze(url) {
  return onServer(url, 'ANALYZE');
}

/** Whether there is a server at a URL. */
export async function hasPostgres(serverUrl) {
  return onServer(serverUrl, 'SELECT 1').then(
    () => true,
    () => false,
  );
}

/** Seconds of processor time of the processes that serve the connections to a database; NaN where the server is on another machine. */
export async function processorSecondsOfConnections(url) {
  const { rows } = await onServer(url, 'SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()');
  const seconds = await Promise.all(rows.map(({ pid }) => processorSeconds(pid)));
  return seconds.reduce((sum, each) => sum + each, 0);
}

async function onServer(url, statement) {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  await client.connect();
  try {
    return await client.query(statement);
  } finally {
    await client.end();
  }
}
