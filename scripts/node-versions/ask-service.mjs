import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { run } from './run.mjs';

const PATIENCE_MILLISECONDS = 60_000;
// As many as one connection takes: one that runs, and those that may wait.
const SENT_AHEAD = 33;
const LAST = 'GET /health/live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';
const API_KEY = /\badopt_dev_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}\b/;

/**
 * Starts the service built in `folder` on a new database, adds an animal, lists it, does so by the package for clients that is installed in
 * `clientProject` too, sends requests ahead and ends the service.
 * @returns the version of the Node that ran it.
 * @throws when an answer is wrong, the service ends by itself or with another code than 0, or takes over a minute.
 */
export async function askService(node, folder, clientProject, scratch) {
  const { stdout: version } = await run(node, ['--version']);
  const port = await freePort();
  const data = await mkdtemp(join(scratch, 'data-'));
  const env = { PATH: process.env.PATH, PORT: String(port), MANAGEMENT_PORT: '0', DATABASE_URL: `sqlite:${join(data, 'adoption.sqlite')}` };
  const service = spawn(node, [join(folder, 'dist', 'src', 'main.js')], { cwd: data, env, stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(service, 'exit');
  const ended = exited.then(([code]) => Promise.reject(new Error(`Node ${version.trim()}: the service ended early with ${code}`)));
  const late = AbortSignal.timeout(PATIENCE_MILLISECONDS);
  const overdue = once(late, 'abort').then(() => Promise.reject(new Error(`Node ${version.trim()}: no answer within a minute`)));
  try {
    const key = await Promise.race([addAndList(service.stdout, port), ended, overdue]);
    await Promise.race([useClient(node, clientProject, port, key), ended, overdue]);
    await Promise.race([sendAhead(port), ended, overdue]);
    service.kill('SIGTERM');
    const [code] = await Promise.race([exited, overdue]);
    assert.equal(code, 0, 'the exit code after SIGTERM');
  } finally {
    service.kill('SIGKILL');
  }
  return `Node ${version.trim()}`;
}

async function addAndList(output, port) {
  const key = await printedKey(output);
  const url = `http://127.0.0.1:${port}/v1/pets`;
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ name: 'Rex', categoryId: 1 });
  const added = await whenListening(() => fetch(url, { method: 'POST', headers, body }));
  assert.equal(added.status, 201, 'the status of POST /v1/pets');
  const listed = await fetch(url, { headers });
  assert.equal(listed.status, 200, 'the status of GET /v1/pets');
  assert.deepEqual(await listed.json(), [await added.json()], 'the list after one animal was added');
  return key;
}

async function useClient(node, project, port, key) {
  const env = { ADOPTION_URL: `http://127.0.0.1:${port}`, ADOPTION_KEY: key };
  const { stdout } = await run(node, ['use-client.mjs'], { cwd: project, env });
  assert.equal(stdout, '2n Max 9223372036854775807n pet.added\n', 'what the client hears of the animal that it has added');
}

async function sendAhead(port) {
  const socket = connect(port, '127.0.0.1');
  socket.write('GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(SENT_AHEAD - 1) + LAST);
  let answers = '';
  for await (const chunk of socket.setEncoding('latin1')) answers += chunk;
  assert.equal(answers.split('HTTP/1.1 200 ').length - 1, SENT_AHEAD, 'the answers to requests sent ahead');
}

async function printedKey(output) {
  let text = '';
  for await (const chunk of output.iterator({ destroyOnReturn: false })) {
    text += chunk;
    const key = API_KEY.exec(text)?.[0];
    if (key) {
      output.resume();
      return key;
    }
  }
  throw new Error(`The service printed no key:\n${text}`);
}

async function whenListening(request) {
  for (;;) {
    try {
      return await request();
    } catch (error) {
      if (error.cause?.code !== 'ECONNREFUSED') throw error;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}
