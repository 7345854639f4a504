import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createWorkingDirectory, startBuiltService } from './built-service.fixture.js';
import { ApiClient, type Answer } from './api-client.fixture.js';
import { startCollector } from './otlp-collector.fixture.js';

const NEW = { name: 'Website', owner: 'Happy Paws', scopes: ['pets'] };

interface Shown {
  readonly id: number;
  readonly secret?: string;
}

describe('the secret of a key', () => {
  it('is in no file, log, trace, list, error, repeat, history or usage', async () => {
    const [collector, folder] = [await startCollector(), await createWorkingDirectory()];
    const service = await startBuiltService(folder.path, { LOG_LEVEL: 'trace', OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint });
    const demo = service.demoKey ?? '';
    const client = new ApiClient(service.origin, demo);
    const answers: Answer[] = [];
    const later = async (method: string, target: string, body?: unknown, key = demo) => {
      answers.push(await client.send(method, target, { body, key }));
    };
    const headers = { 'idempotency-key': 'one' };
    const issued = (await client.post('/v1/keys', NEW, { headers })).json<Shown>();
    const rotated = (await client.send('POST', `/v1/keys/${issued.id}/rotate`)).json<Shown>();
    const own = (await client.send('POST', '/v1/key/rotate', { key: rotated.secret ?? '' })).json<Shown>();
    const secrets = [issued, rotated, own].map(({ secret = '' }) => secret);
    answers.push(await client.post('/v1/keys', NEW, { headers }), await client.post('/v1/keys', { ...NEW, name: 'Other' }, { headers }));
    for (const path of ['', `/${issued.id}`, `/${issued.id}/usage`]) await later('GET', `/v1/keys${path}`);
    await later('GET', '/v1/key', undefined, own.secret);
    await later('PATCH', `/v1/keys/${issued.id}`, { name: own.secret, plan: 'gold' });
    await later('POST', `/v1/keys/${issued.id}/ban`, { seconds: 0, reason: own.secret });
    await later('POST', '/v1/keys', { [own.secret ?? '']: 1 });
    await later('GET', `/v1/keys/${own.secret}`);
    await later('GET', '/v1/pets', undefined, issued.secret);
    await later('POST', '/graphql', { query: '{ apiKeys { nodes { name keyStart history { data metadata } dailyUsage { requests } } } }' });
    await later('POST', `/v1/keys/${issued.id}/revoke`);
    client.close();
    expect(await service.stop('SIGTERM')).toBe(0);
    const files = (await readdir(folder.path, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
    const stored = await Promise.all(files.map(({ parentPath, name }) => readFile(join(parentPath, name), 'latin1')));
    const places = {
      answers: answers
        .filter(({ status }) => status !== 400 && status !== 404)
        .map(({ text, headers: sent }) => text + JSON.stringify(sent)),
      log: [service.output()],
      traces: collector.requests.map(({ body }) => body),
      files: stored,
    };
    expect(answers.map(({ status }) => status)).toEqual([201, 422, 200, 200, 200, 200, 400, 400, 400, 400, 401, 200, 200]);
    for (const [place, texts] of Object.entries(places)) {
      expect([place, texts.length > 0]).toEqual([place, true]);
      for (const secret of secrets) {
        const random = secret.split('_')[2] ?? '';
        expect(random).toHaveLength(43);
        expect([place, texts.some((text) => text.includes(random))]).toEqual([place, false]);
      }
    }
    await folder.remove();
  });
});
