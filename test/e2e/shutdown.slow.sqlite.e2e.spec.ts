import { until } from '#libs/testing';
import { RawConnection } from '../../libs/http/testing/raw-connection.js';
import { createWorkingDirectory, startBuiltService, type BuiltService, type WorkingDirectory } from './built-service.fixture.js';
import { fetchDocumented } from './documented-traffic.fixture.js';

const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
const HALVES = ['{"name":"Rex",', '"categoryId":7}'] as const;
const NOTHING_MORE = '0\r\n\r\n';

describe('the end of the service', () => {
  let folder: WorkingDirectory;
  let service: BuiltService;
  const connections: RawConnection[] = [];
  const uploads: NodeJS.Timeout[] = [];

  beforeEach(async () => (folder = await createWorkingDirectory()));

  afterEach(async () => {
    for (const upload of uploads.splice(0)) clearInterval(upload);
    for (const connection of connections.splice(0)) connection.destroy();
    await service.stop('SIGKILL');
    await folder.remove();
  });

  const start = async (environment: Record<string, string> = {}) => (service = await startBuiltService(folder.path, environment));

  const authorization = () => `Bearer ${service.demoKey ?? ''}`;

  const open = (): RawConnection => {
    const connection = new RawConnection(Number(new URL(service.origin).port));
    connections.push(connection);
    return connection;
  };

  /** A connection on which half of an animal has arrived and is being waited for. */
  const openHalfSent = async (): Promise<RawConnection> => {
    const connection = open();
    connection.send(
      `POST /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: ${authorization()}\r\nContent-Type: application/json\r\n` +
        'Expect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n',
    );
    expect((await connection.answer()).status).toBe(100);
    connection.send(chunk(HALVES[0]));
    return connection;
  };

  /** The same where something more of it arrives all the time. */
  const openUpload = async (): Promise<RawConnection & { sendRest(): void }> => {
    const connection = await openHalfSent();
    const upload = setInterval(() => connection.send(chunk(' ')), 50);
    uploads.push(upload);
    return Object.assign(connection, {
      sendRest: () => {
        clearInterval(upload);
        connection.send(chunk(HALVES[1]) + NOTHING_MORE);
      },
    });
  };

  const openIdle = async (): Promise<RawConnection> => {
    const connection = open();
    connection.send(`GET /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: ${authorization()}\r\n\r\n`);
    expect(await connection.answer()).toMatchObject({ status: 200, headers: { connection: 'keep-alive' } });
    return connection;
  };

  /** What readiness says on a new connection; undefined where there is none to be had. */
  const readiness = async (): Promise<{ status: number; connection: string | null } | undefined> => {
    try {
      const { status, headers } = await fetch(`${service.origin}/health/ready`);
      return { status, connection: headers.get('connection') };
    } catch {
      return undefined;
    }
  };

  it('is told by readiness at once, while new connections are answered and requests finish whose body is still arriving', async () => {
    await start();
    const [first, second] = [await openUpload(), await openUpload()];
    const ended = service.stop('SIGTERM');
    const seen: unknown[] = [];
    await until(async () => {
      const answer = await readiness();
      if (answer?.status === 503) seen.push(answer);
      return answer === undefined;
    });
    expect(seen.length).toBeGreaterThan(0);
    for (const answer of seen) expect(answer).toEqual({ status: 503, connection: 'close' });
    const parts = await fetch(`${service.management}/health/ready`);
    expect([parts.status, await parts.json()]).toEqual([503, expect.objectContaining({ draining: true, status: 'unavailable' })]);
    for (const connection of [first, second]) {
      connection.sendRest();
      const { status, headers, body } = await connection.answer();
      expect([status, headers['connection'], body]).toEqual([201, 'close', expect.stringContaining('Rex')]);
      await connection.ended();
    }
    expect(await ended).toBe(0);
  });

  it('does not wait for connections that wait for nothing', async () => {
    // Longer than a test may take.
    await start({ SHUTDOWN_GRACE_SECONDS: '600' });
    const idle = [await openIdle(), await openIdle(), open(), open()];
    expect(await service.stop('SIGTERM')).toBe(0);
    await Promise.all(idle.map((connection) => connection.closed));
  });

  it('comes within the grace, with 0, though clients never finish, and the counters are stored', async () => {
    await start({ SHUTDOWN_GRACE_SECONDS: '3' });
    const demoKey = service.demoKey ?? '';
    const headers = { authorization: authorization() };
    const used = await fetchDocumented(`${service.origin}/v1/pets`, { headers });
    await openIdle();
    await openUpload();
    await openHalfSent();
    open().send('POST /v1/pets HTTP/1.1\r\nHost: a\r\nX-Unfinished');
    // Beyond the grace it would be 1.
    expect(await service.stop('SIGTERM')).toBe(0);
    expect(JSON.parse(service.lastLine())).toMatchObject({ level: 30, msg: 'stopped', durationMs: expect.any(Number) });

    await start();
    const next = await fetchDocumented(`${service.origin}/v1/pets`, { headers: { authorization: `Bearer ${demoKey}` } });
    const rest = (answer: Response) => Number(/"day";r=(\d+)/.exec(answer.headers.get('ratelimit') ?? '')?.[1]);
    expect(rest(next)).toBe(rest(used) - 4);
  });
});
