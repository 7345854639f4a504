import { RawConnection } from '../../libs/api-kit/testing/raw-connection.js';
import { createWorkingDirectory, startBuiltService, type BuiltService, type WorkingDirectory } from './built-service.fixture.js';

const BODY = '{"name":"Rex","categoryId":7}';
const HALF = Math.floor(BODY.length / 2);

let folder: WorkingDirectory;
let service: BuiltService;
const connections: RawConnection[] = [];

beforeEach(async () => (folder = await createWorkingDirectory()));

afterEach(async () => {
  for (const connection of connections.splice(0)) connection.destroy();
  await service.stop('SIGKILL');
  await folder.remove();
});

const start = async (environment: Record<string, string> = {}) => (service = await startBuiltService(folder.path, environment));

const authorization = () => `Bearer ${service.demoKey ?? ''}`;

function open(): RawConnection {
  const connection = new RawConnection(Number(new URL(service.origin).port));
  connections.push(connection);
  return connection;
}

/** A connection on which half of an animal has arrived and is being waited for. */
async function openHalfSent(): Promise<RawConnection> {
  const connection = open();
  connection.send(
    `POST /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: ${authorization()}\r\nContent-Type: application/json\r\n` +
      `Expect: 100-continue\r\nContent-Length: ${BODY.length}\r\n\r\n`,
  );
  expect((await connection.answer()).status).toBe(100);
  connection.send(BODY.slice(0, HALF));
  return connection;
}

async function openIdle(): Promise<RawConnection> {
  const connection = open();
  connection.send(`GET /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: ${authorization()}\r\n\r\n`);
  expect(await connection.answer()).toMatchObject({ status: 200, headers: { connection: 'keep-alive' } });
  return connection;
}

/** What readiness says on a new connection; undefined where there is none to be had. */
async function readiness(): Promise<{ status: number; connection: string | null } | undefined> {
  try {
    const { status, headers } = await fetch(`${service.origin}/health/ready`);
    return { status, connection: headers.get('connection') };
  } catch {
    return undefined;
  }
}

async function untilRefused(): Promise<void> {
  while (await readiness());
}

describe('the end of the service', () => {
  it('is told by readiness at once, while new connections are still answered, each closing after its answer', async () => {
    await start();
    const waiting = await openHalfSent();
    const ended = service.stop('SIGTERM');
    const seen: unknown[] = [];
    for (let answer = await readiness(); answer; answer = await readiness()) {
      if (answer.status === 503) seen.push(answer);
    }
    expect(seen.length).toBeGreaterThan(0);
    for (const answer of seen) expect(answer).toEqual({ status: 503, connection: 'close' });
    const parts = await fetch(`${service.management}/health/ready`);
    expect([parts.status, await parts.json()]).toEqual([503, expect.objectContaining({ draining: true, status: 'unavailable' })]);
    waiting.send(BODY.slice(HALF));
    expect(await ended).toBe(0);
  });

  it('lets a request finish whose body is still arriving, and closes its connection', async () => {
    await start();
    const connection = await openHalfSent();
    const ended = service.stop('SIGTERM');
    await untilRefused();
    connection.send(BODY.slice(HALF));
    expect(await connection.answer()).toMatchObject({
      status: 201,
      headers: { connection: 'close' },
      body: expect.stringContaining('Rex'),
    });
    await connection.ended();
    expect(await ended).toBe(0);
  });

  it('does not wait for connections that wait for nothing', async () => {
    await start({ SHUTDOWN_GRACE_SECONDS: '60' });
    const idle = [await openIdle(), await openIdle(), open(), open()];
    const startedAt = performance.now();
    expect(await service.stop('SIGTERM')).toBe(0);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    await Promise.all(idle.map((connection) => connection.closed));
  });

  it('comes within the grace, with 0, though a client never finishes, and the counters are stored', async () => {
    await start({ SHUTDOWN_GRACE_SECONDS: '3' });
    const demoKey = service.demoKey ?? '';
    const headers = { authorization: authorization() };
    const used = await fetch(`${service.origin}/v1/pets`, { headers });
    await openIdle();
    await openHalfSent();
    const startedAt = performance.now();
    expect(await service.stop('SIGTERM')).toBe(0);
    expect(performance.now() - startedAt).toBeLessThan(3_000);

    await start();
    const next = await fetch(`${service.origin}/v1/pets`, { headers: { authorization: `Bearer ${demoKey}` } });
    const rest = (answer: Response) => Number(/"day";r=(\d+)/.exec(answer.headers.get('ratelimit') ?? '')?.[1]);
    expect(rest(next)).toBe(rest(used) - 3);
  });

  it('comes at once at a second signal', async () => {
    await start({ SHUTDOWN_GRACE_SECONDS: '60' });
    await openHalfSent();
    const ended = service.stop('SIGTERM');
    await untilRefused();
    const insisting = setInterval(() => void service.stop('SIGTERM'), 100);
    expect(await ended).toBe(1);
    clearInterval(insisting);
  });
});
