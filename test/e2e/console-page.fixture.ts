import { SettableClock } from '#libs/testing';
import { ManagementServer } from '#libs/observability';
import { startService, UNLIMITED, type Service } from './service.fixture.js';

/** The time that it is, for plots that go on. */
class PresentTime extends SettableClock {
  override now(): Date {
    return new Date();
  }
}

/** A service whose console is looked at, and what may happen to it. */
export interface ConsoleUnderTest {
  readonly service: Service;
  /** Of the management port. */
  readonly origin: string;
  /** Adds, reads, changes and orders animals, with two keys. */
  keepBusy(): Promise<void>;
  close(): Promise<void>;
}

export async function startConsole(): Promise<ConsoleUnderTest> {
  const service = await startService({ clock: new PresentTime(new Date()) });
  const origin = await service.app.get(ManagementServer).listen({ host: '127.0.0.1', port: 0 });
  return {
    service,
    origin,
    keepBusy: () => keepBusy(service),
    close: () => service.close(),
  };
}

async function keepBusy({ client, issueKey }: Service): Promise<void> {
  const { token: key } = await issueKey({ ...UNLIMITED, scopes: ['pets', 'pets:write', 'orders:all'], name: 'website' });
  const { token: trial } = await issueKey({ plan: 'free', name: 'trial' });
  for (const name of ['Rex', 'Mia']) await client.post('/v1/pets', { name, categoryId: 7, status: 'available' }, { key });
  await client.post('/v1/store/orders', { petId: 1 }, { key });
  const headers = { 'content-type': 'application/merge-patch+json' };
  await client.send('PATCH', '/v1/pets/2', { key, headers, body: JSON.stringify({ name: 'Mila' }) });
  await Promise.all([client.get('/v1/pets/999999', { key }), client.get('/v1/pets', { key: trial })]);
}
