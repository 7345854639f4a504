import { getServiceAdapter } from '#libs/http';
import { Scopes } from '../../src/auth/domain/api-key.js';
import { composition } from '../../src/bootstrap/composition.js';
import { startService, UNLIMITED, type Service } from './service.fixture.js';

interface AskedRoute {
  readonly method: string;
  readonly target: string;
  /** The scopes of which a key needs one; none where nobody needs a key. */
  readonly scopes: readonly string[];
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
  const guarded = () => routes.filter(({ scopes }) => scopes.length > 0);

  it('is closed without a key and with a wrong one, unless it is public', async () => {
    for (const route of guarded()) {
      for (const key of [null, `adopt_dev_${'0'.repeat(43)}_000000`]) expect([route, await statusOf(route, key)]).toEqual([route, 401]);
    }
  });

  it('is closed to a key with every scope but its own and those that include it', async () => {
    const known = new Scopes(composition().scopes);
    const used = new Set(guarded().flatMap(({ scopes }) => scopes));
    expect([...used].sort()).toEqual([...known.all()].sort());
    for (const route of guarded()) {
      const scopes = known.all().filter((other) => !known.withIncluded([other]).some((scope) => route.scopes.includes(scope)));
      if (scopes.length === 0) continue;
      const { token } = await service.issueKey({ ...UNLIMITED, scopes });
      expect([route, await statusOf(route, token)]).toEqual([route, 403]);
    }
  });

  it('is open to a key with its scope alone, but those that have events sent, which need that scope too', async () => {
    for (const route of guarded()) {
      for (const scope of route.scopes) {
        const { token } = await service.issueKey({ ...UNLIMITED, scopes: scope === 'webhooks' ? [scope, 'events'] : [scope] });
        expect([401, 403]).not.toContain(await statusOf(route, token));
      }
    }
  });

  it('of the API says what it reads, and describes its operation under an id of its own', () => {
    const ofApi = getServiceAdapter(service.app).routes.filter(({ template, method }) => template.startsWith('/v1/') && method !== 'HEAD');
    for (const { template, config } of ofApi) {
      const parameters = [...template.matchAll(/:(\w+)/g)].map(([, name]) => name);
      expect([template, Object.keys(config.reads?.path ?? {})]).toEqual([template, expect.arrayContaining(parameters)]);
      expect([template, config.operation]).toEqual([template, expect.anything()]);
    }
    expect(new Set(ofApi.map(({ config }) => config.operation?.id)).size).toBe(ofApi.length);
  });

  it('is open to everybody where it says so', async () => {
    const open = routes.filter(({ scopes, method }) => scopes.length === 0 && method !== 'OPTIONS');
    expect(open.map(({ target }) => target)).toEqual(expect.arrayContaining(['/', '/docs', '/openapi.json', '/health/live']));
    // At a wildcard there may be nothing.
    for (const route of open) expect([route, [200, 404].includes(await statusOf(route, null))]).toEqual([route, true]);
  });
});

/** The routes that are registered, and OPTIONS of each path, which is open to whom one of its other methods is. */
function routesOf({ app }: Service): AskedRoute[] {
  const asked = getServiceAdapter(app).routes.map(({ method, template, config: { access } }) => ({
    method,
    // There is no key 999, which this test could end.
    target: template.replace(':type', 'pet.added').replace(':keyId', '999').replaceAll(/:\w+/g, '1').replace('*', 'x'),
    scopes: access === 'public' ? [] : access === 'key' ? [...composition().scopes.keys()] : [access?.scope ?? 'nothing that any key has'],
  }));
  const targets = new Set(asked.map(({ target }) => target));
  const scopesOf = (path: string) => new Set(asked.filter(({ target }) => target === path).flatMap(({ scopes }) => scopes));
  return [...asked, ...[...targets].map((target) => ({ method: 'OPTIONS', target, scopes: [...scopesOf(target)] }))];
}
