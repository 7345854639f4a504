import { randomUUID } from 'node:crypto';
import pg from 'pg';

/** Creates an empty database on the server at a URL. */
export async function createPostgresDatabase(serverUrl) {
  const name = `adoption_bench_${randomUUID().slice(0, 8)}`;
  await onServer(serverUrl, `CREATE DATABASE "${name}"`);
  const url = new URL(serverUrl);
  url.pathname = name;
  return { url: url.href, drop: () => onServer(serverUrl, `DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`) };
}

/** Whether there is a server at a URL. */
export async function hasPostgres(serverUrl) {
  return onServer(serverUrl, 'SELECT 1').then(
    () => true,
    () => false,
  );
}

async function onServer(url, statement) {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
