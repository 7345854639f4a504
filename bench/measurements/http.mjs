import { join } from 'node:path';
import { startBaseline } from '../contestants/baseline.mjs';
import { createPostgresDatabase } from '../contestants/postgres.mjs';
import { animals } from '../fixtures/animals.mjs';
import { compare } from './compare.mjs';
import { add, get, list, withHeaders } from './requests.mjs';
import { shareRow } from '../report/row.mjs';
import { ANIMALS, onStage } from './stage.mjs';

const SQLITE = { kind: 'sqlite', label: 'SQLite', program: 'fastify-sqlite' };
const POSTGRES = { kind: 'postgres', label: 'PostgreSQL', program: 'fastify-pg' };

/** The three operations beside `node:http` and beside the same routes written by hand. */
export const httpMeasurements = [
  measurement(list, SQLITE, { constant: 0.5, handWritten: 1.5 }),
  measurement(get, SQLITE, { constant: 0.5 }),
  measurement(add, SQLITE, { handWritten: 2 }),
  measurement(list, POSTGRES, { handWritten: 1.5 }),
  measurement(get, POSTGRES, { handWritten: 1 }),
  measurement(add, POSTGRES, { handWritten: 1 }),
];

function measurement(operation, database, goals) {
  const isSqlite = database === SQLITE;
  return {
    name: isSqlite ? operation.name : `${operation.name}-postgres`,
    needsPostgres: !isSqlite,
    run: (options) => measure(operation, database, goals, options),
  };
}

async function measure(operation, database, goals, options) {
  return onStage({ kind: database.kind, postgres: options.postgres }, async (stage) => {
    const service = { server: await stage.serve(), ...withHeaders(operation, stage.headers) };
    const constant = { server: await stage.add(startConstant(service)), ...operation };
    const handWritten = { server: await stage.add(startHandWritten(stage, database, options)), ...operation };
    const measured = await compare([service, constant, handWritten], options);
    const rowFor = (baseline, goal) =>
      shareRow({
        what: `${operation.title}, ${database.label}`,
        subject: measured.get('service'),
        baseline: { name: baseline.server.title, measured: measured.get(baseline.server.name) },
        goal,
      });
    return [rowFor(constant, goals.constant), rowFor(handWritten, goals.handWritten)];
  });
}

/** A server that gives the service's own answer to the same request, ever again. */
export async function startConstant({ server, request }) {
  const { path, ...rest } = request;
  const response = await fetch(server.origin + path, rest);
  const headers = { 'content-type': response.headers.get('content-type') };
  const answer = { status: response.status, headers, body: await response.text() };
  return { ...(await startBaseline('node-http', { ANSWER: JSON.stringify(answer) })), title: '`node:http`, constant bytes' };
}

async function startHandWritten(stage, { program, kind }, { postgres }) {
  const environment = { ANIMALS: JSON.stringify(animals(ANIMALS)) };
  if (kind === 'sqlite') {
    const DATABASE_FILE = join(stage.folder.path, 'hand-written.sqlite');
    return { ...(await startBaseline(program, { ...environment, DATABASE_FILE })), title: 'hand-written, Fastify + better-sqlite3' };
  }
  const database = await createPostgresDatabase(postgres);
  const server = await startBaseline(program, { ...environment, DATABASE_URL: database.url });
  const stop = async () => {
    await server.stop();
    await database.drop();
  };
  return { ...server, stop, title: 'hand-written, Fastify + pg' };
}
