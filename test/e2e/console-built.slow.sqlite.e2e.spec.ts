import { once } from 'node:events';
import { get, type IncomingMessage, type RequestOptions } from 'node:http';
import { createWorkingDirectory, startBuiltService } from './built-service.fixture.js';

const PASSWORD = 'open sesame';

async function statusOf(options: RequestOptions): Promise<number> {
  const [response] = (await once(get({ host: '127.0.0.1', ...options }), 'response')) as [IncomingMessage];
  response.resume();
  return response.statusCode ?? 0;
}

describe('the console and metrics of what is built', () => {
  it.each([
    ['development', 403],
    ['production', 200],
  ])('answer under the name of another site in %s: %i', async (deployment, status) => {
    const { path, backend } = await createWorkingDirectory();
    const environment = { ...backend, DEPLOYMENT: deployment, CONSOLE: 'on', CONSOLE_PASSWORD: PASSWORD };
    const { port } = new URL((await startBuiltService(path, environment)).management);
    for (const page of ['/console', '/console/data', '/metrics']) {
      const ask = (host: string) => statusOf({ port, path: page, headers: { host, authorization: `Basic ${btoa(`x:${PASSWORD}`)}` } });
      expect([page, await ask(`evil.example:${port}`), await ask(`localhost:${port}`)]).toEqual([page, status, 200]);
    }
  });
});
