import { join } from 'node:path';
import { startBaseline } from '../contestants/baseline.mjs';
import { createPostgresDatabase } from '../contestants/postgres.mjs';
import { compare } from './compare.mjs';
import { add, filteredPages, get, getDifferent, list, listPages, withHeaders } from './requests.mjs';
import { shareRow } from '../report/row.mjs';
import { ANIMALS, onBoth, onStage } from './stage.mjs';

/** Least ratio of requests to the service with the same promises. A response that is kept is made once. */
const GOALS = [
  [list, 3],
  [get, 3],
  [listPages, 1],
  [filteredPages, 1],
  [getDifferent, 1],
  [add, 1.5],
];

/**
 * The operations beside a service that makes the same promises by plug-ins, and for the limits beside `node:http` and Nest with constant
 * answers, and the same routes written by hand without any promise. All on SQLite come first.
 */
export const httpMeasurements = GOALS.flatMap(([operation, goal]) =>
  onBoth(operation.name, (place, options) => measure(operation, goal, place, options)),
).sort((one, other) => Number(one.needsPostgres) - Number(other.needsPostgres));

async function measure(operation, goal, place, options) {
  const animals = operation.animals ?? ANIMALS;
  return onStage({ ...place, animals }, async (stage) => {
    const service = { server: await stage.serve(), ...withHeaders(operation, stage.headers) };
    const beside = [
      {
        server: await startPromises(stage, options, { animals }),
        ...withHeaders({ ...operation, ...operation.handWritten }, stage.headers),
      },
      { server: await stage.add(startConstant(service)), ...operation },
      { server: await stage.add(startNest(service)), ...operation },
    ];
    // Without a promise there are no filters either.
    if (operation !== filteredPages) {
      beside.push({ server: await startBare(stage, options, animals), ...operation, ...operation.handWritten });
    }
    const measured = await compare([service, ...beside], options);
    return beside.map(({ server }, index) =>
      shareRow({
        what: `${operation.title}, ${stage.label}`,
        subject: measured.get('service'),
        baseline: { name: server.title, measured: measured.get(server.name) },
        goal: index === 0 ? goal : undefined,
      }),
    );
  });
}

/**
 * Starts the service with the same promises on a database of its own, with as many animals.
 * @param status of all animals, if not one after another
 */
export async function startPromises(stage, { postgres }, { animals, status }) {
  const environment = {
    ANIMALS: `${animals}`,
    ...(status && { STATUS: status }),
    KEY: stage.key,
    LOG_FILE: join(stage.folder.path, 'promises.log'),
  };
  return startHandWritten(stage, 'promises/server', postgres, environment, 'the same promises, Fastify and plug-ins');
}

function startBare(stage, { postgres }, animals) {
  const [program, driver] = stage.kind === 'sqlite' ? ['fastify-sqlite', 'better-sqlite3'] : ['fastify-pg', 'pg'];
  return startHandWritten(stage, program, postgres, { ANIMALS: `${animals}` }, `no promises, Fastify + ${driver}`);
}

/** Starts a baseline on a database of its own, of the kind of the stage's. */
async function startHandWritten(stage, program, postgres, environment, title) {
  if (stage.kind === 'sqlite') {
    const DATABASE_FILE = join(stage.folder.path, `${program.replaceAll('/', '-')}.sqlite`);
    return stage.add(startBaseline(program, { ...environment, DATABASE_FILE }).then((server) => ({ ...server, title })));
  }
  const { url, drop } = await createPostgresDatabase(postgres);
  const server = await startBaseline(program, { ...environment, DATABASE_URL: url });
  const stop = async () => {
    await server.stop();
    await drop();
  };
  return stage.add({ ...server, database: url, stop, title });
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
