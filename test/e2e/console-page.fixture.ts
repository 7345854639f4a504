import { CommandBus } from '@nestjs/cqrs';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { Database, sql } from '#libs/database';
import { ManagementServer } from '#libs/observability';
import { SettableClock } from '#libs/testing';
import { BanApiKey } from '../../src/auth/index.js';
import { startManagement } from '../../src/operations/index.js';
import { openPage, type OpenedPage } from './browser.fixture.js';
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
  open(browser: Browser, options?: BrowserContextOptions & { readonly path?: string }): Promise<OpenedPage>;
  /** Adds, reads and orders animals with two keys: once, or for as long as said. */
  keepBusy(seconds?: number): Promise<void>;
  ban(): Promise<void>;
  /** Has the build of the animals' tables come as far as this, in percent. */
  rebuildTo(percent: number): Promise<void>;
  /** Ends the management port. */
  lose(): Promise<void>;
  /** Opens it again, where it was. */
  comeBack(): Promise<void>;
  close(): Promise<void>;
}

export async function startConsole(environment: Readonly<Record<string, string>> = {}): Promise<ConsoleUnderTest> {
  const service = await startService({ clock: new PresentTime(new Date()), environment });
  const management = service.app.get(ManagementServer);
  const origin = await startManagement(service.app, { host: '127.0.0.1', port: 0 });
  return {
    service,
    origin,
    async open(browser, { path = '/console', ...options } = {}) {
      const opened = await openPage(browser, origin + path, options);
      await opened.page.locator('#main:not([hidden])').waitFor();
      return opened;
    },
    keepBusy: (seconds = 0) => keepBusy(service, seconds),
    async ban() {
      const { id, token } = await service.issueKey({ plan: 'pro', name: 'scraper' });
      await service.client.get('/v1/pets', { key: token });
      const until = new Date(Date.now() + 900_000);
      await service.app.get(CommandBus).execute(new BanApiKey({ id, until, step: 2, unbans: 0, metadata: { actor: 'system' } }));
    },
    async rebuildTo(percent) {
      const share = sql`("position" * ${BigInt(percent)}) / 100`;
      await service.app
        .get(Database)
        .write((transaction) =>
          transaction.query(
            sql`UPDATE "projection_checkpoints" SET "rebuild_id" = ${'a'}, "rebuild_position" = ${share} WHERE "name" = ${'pets'}`,
          ),
        );
    },
    lose: () => management.close(),
    async comeBack() {
      await management.listen({ host: '127.0.0.1', port: Number(new URL(origin).port) });
    },
    close: () => service.close(),
  };
}

async function keepBusy(service: Service, seconds: number): Promise<void> {
  const scopes = ['pets', 'pets:write', 'orders:all'];
  const { token } = await service.issueKey({ ...UNLIMITED, scopes, name: 'website' });
  const { token: trial } = await service.issueKey({ plan: 'free', name: 'trial' });
  const until = Date.now() + seconds * 1_000;
  for (let round = 1; round === 1 || Date.now() < until; round += 1) {
    await adopt(service, token);
    const lists = Array.from({ length: 20 + (round % 40) }, (_, index) =>
      service.client.get(`/v1/pets?limit=${(index % 20) + 1}`, { key: token }),
    );
    await Promise.all([...lists, service.client.get('/v1/pets/999999', { key: token }), service.client.get('/v1/pets', { key: trial })]);
  }
}

/** Adds animals, places an order for one and names another anew. */
async function adopt(service: Service, key: string): Promise<void> {
  const add = async (name: string) =>
    (await service.client.post('/v1/pets', { name, categoryId: 7, status: 'available' }, { key })).json<{ id: number }>().id;
  const [first, second] = [await add('Rex'), await add('Mia')];
  await service.client.post('/v1/store/orders', { petId: first }, { key });
  await service.client.send('PATCH', `/v1/pets/${second}`, {
    key,
    headers: { 'content-type': 'application/merge-patch+json' },
    body: JSON.stringify({ name: 'Mila' }),
  });
}
