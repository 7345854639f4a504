import { join } from 'node:path';
import { startBaseline } from '../contestants/baseline.mjs';
import { createPostgresDatabase } from '../contestants/postgres.mjs';
import { compare } from './compare.mjs';
import { add, get, list, listPages, withHeaders } from './requests.mjs';
import { shareRow } from '../report/row.mjs';
import { ANIMALS, onStage } from './stage.mjs';

const SQLITE = { kind: 'sqlite', label: 'SQLite', program: 'fastify-sqlite' };
const POSTGRES = { kind: 'postgres', label: 'PostgreSQL', program: 'fastify-pg' };

/** The operations beside `node:http`, beside Nest on Fastify without any work, and beside the same routes written by hand. */
export const httpMeasurements = [
  measurement(list, SQLITE, { constant: 0.5, handWritten: 1.5 }),
  measurement(get, SQLITE, { constant: 0.5 }),
  measurement(add, SQLITE, { handWritten: 1.7 }),
  measurement(listPages, SQLITE, { handWritten: 1 }),
  measurement(list, POSTGRES, { handWritten: 1.5 }),
  measurement(listPages, POSTGRES, { handWritten: 1 }),
  measurement(get, POSTGRES, { handWritten: 1.2 }),
  measurement(add, POSTGRES, { handWritten: 0.9 }),
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
  return onStage({ kind: database.kind, animals: operation.animals, postgres: options.postgres }, async (stage) => {
    const service = { server: await stage.serve(), ...withHeaders(operation, stage.headers) };
    const constant = { server: await stage.add(startConstant(service)), ...operation };
    const nest = { server: await stage.add(startNest(service)), ...operation };
    const server = await stage.add(startHandWritten(stage, database, { ...options, animals: operation.animals ?? ANIMALS }));
    const handWritten = { server, ...operation, ...operation.handWritten };
    const measured = await compare([service, constant, nest, handWritten], options);
    const rowFor = (baseline, goal) =>
      shareRow({
        what: `${operation.title}, ${database.label}`,
        subject: measured.get('service'),
        baseline: { name: baseline.server.title, measured: measured.get(baseline.server.name) },
        goal,
      });
    return [rowFor(constant, goals.constant), rowFor(nest), rowFor(handWritten, goals.handWritten)];
  });
}

/** A server that gives the service's own answer to the same request, ever again. */
export async function startConstant(service) {
  return { ...(await startBaseline('node-http', await answerOf(service))), title: '`node:http`, constant bytes' };
}

async function startNest(service) {
  return { ...(await startBaseline('nest', await answerOf(service))), title: 'Nest on Fastify, constant answer' };
}

async function answerOf({ server, request: { path, ...rest } }) {
  const response = await fetch(server.origin + path, rest);
  const headers = { 'content-type': response.headers.get('content-type') };
  return { ANSWER: JSON.stringify({ status: response.status, headers, body: await response.text() }) };
}

async function startHandWritten(stage, { program, kind }, { postgres, animals }) {
  const environment = { ANIMALS: `${animals}` };
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
