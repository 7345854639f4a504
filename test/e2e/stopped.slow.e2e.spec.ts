import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import {
  createWorkingDirectory,
  launchBuiltService,
  startBuiltService,
  type LaunchedService,
  type WorkingDirectory,
} from './built-service.fixture.js';

describe('the last line of a stop', () => {
  let folder: WorkingDirectory;
  let service: Pick<LaunchedService, 'lastLine' | 'stop'> | undefined;
  beforeEach(async () => (folder = await createWorkingDirectory()));
  afterEach(async () => {
    await service?.stop('SIGKILL');
    service = undefined;
    await folder.remove();
  });

  it.each(['SIGTERM', 'SIGINT'] as const)('says that the service stopped, and how long it took, at %s', async (signal) => {
    const started = (service = await startBuiltService(folder.path));
    expect(await started.stop(signal)).toBe(0);
    expect(JSON.parse(started.lastLine())).toMatchObject({ level: 30, msg: 'stopped', durationMs: expect.any(Number) });
  });

  it('says so on a line for people', async () => {
    const started = (service = await startBuiltService(folder.path, { LOG_FORMAT: 'pretty' }));
    expect(await started.stop('SIGTERM')).toBe(0);
    expect(started.lastLine()).toMatch(/^\[[\d:.]+\] INFO: stopped in \d+ ms$/);
  });

  it.each(['json', 'pretty'])('is not lost in %s where the service still starts, which ends with 0', async (format) => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const launched = (service = launchBuiltService(folder.path, {
      DATABASE_URL: `postgres://adoption@127.0.0.1:${port}/adoption`,
      DATABASE_TIMEOUT_MILLISECONDS: '60000',
      LOG_FORMAT: format,
    }));
    launched.listening.catch(() => undefined);
    const [socket] = (await once(silent, 'connection')) as [Socket];
    expect(await launched.stop('SIGTERM')).toBe(0);
    expect(launched.lastLine()).toMatch(/\bstopped\b/);
    socket.destroy();
    silent.close();
  });
});
