import { composition } from '../../src/composition.js';
import { serviceAdapterOf } from '../../src/configure-app.js';
import { startService, UNLIMITED, type Service } from './service.fixture.js';

interface AskedRoute {
  readonly method: string;
  readonly target: string;
  /** What a key needs; undefined where nobody needs a key. */
  readonly scope: string | undefined;
}

describe('every route', () => {
  let service: Service;
  let routes: readonly AskedRoute[];

  beforeAll(async () => {
    service = await startService();
    routes = routesOf(service);
  });
  afterAll(() => service.close());

  const statusOf = async ({ method, target }: AskedRoute, key: string | null) =>
    (await service.client.send(method, target, { key })).status;
  const guarded = () => routes.filter(({ scope }) => scope !== undefined);

  it('is known, with HEAD and OPTIONS', () => {
    const names = routes.map(({ method, target }) => `${method} ${target}`);
    expect(names).toEqual(
      expect.arrayContaining([
        'GET /v1/pets',
        'HEAD /v1/pets',
        'OPTIONS /v1/pets',
        'POST /v1/pets',
        'GET /v1/pets/1',
        'POST /graphql',
        'GET /docs',
      ]),
    );
  });

  it('is closed without a key and with a wrong one, unless it is public', async () => {
    for (const route of guarded()) {
      for (const key of [null, `adopt_dev_${'0'.repeat(43)}_000000`]) expect([route, await statusOf(route, key)]).toEqual([route, 401]);
    }
  });

  it('is closed to a key with every scope but its own', async () => {
    const scopes = [...composition().scopes.keys()];
    for (const scope of scopes) {
      const { token } = await service.issueKey({ ...UNLIMITED, scopes: scopes.filter((other) => other !== scope) });
      const asked = guarded().filter((route) => route.scope === scope);
      expect(asked.length).toBeGreaterThan(0);
      for (const route of asked) expect([route, await statusOf(route, token)]).toEqual([route, 403]);
    }
  });

  it('is open to a key with its scope alone', async () => {
    for (const route of guarded()) {
      const { token } = await service.issueKey({ ...UNLIMITED, scopes: [route.scope ?? ''] });
      expect([401, 403]).not.toContain(await statusOf(route, token));
    }
  });

  it('is open to everybody where it says so', async () => {
    const open = routes.filter(({ scope, method }) => scope === undefined && method !== 'OPTIONS');
    expect(open.map(({ target }) => target)).toEqual(expect.arrayContaining(['/docs', '/openapi.json', '/health/live']));
    for (const route of open) expect([route, await statusOf(route, null)]).toEqual([route, 200]);
  });
});

/** The routes that are registered, and OPTIONS of each path, which is closed as its other methods are. */
function routesOf({ app }: Service): AskedRoute[] {
  const asked = serviceAdapterOf(app).routes.map(({ method, template, config: { access } }) => ({
    method,
    target: template.replaceAll(/:\w+/g, '1').replace('*', 'x'),
    scope: access === 'public' ? undefined : (access?.scope ?? 'nothing that any key has'),
  }));
  return [...asked, ...asked.filter(({ method }) => method === 'GET').map((route) => ({ ...route, method: 'OPTIONS' }))];
}
