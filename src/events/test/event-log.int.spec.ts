import { Module } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { composeModules, domainModule, PublicEventCatalog, PublicEventsModule } from '#libs/http';
import { EventStore } from '#libs/event-sourcing';
import { openTestedModule, SettableClock, type TestedModule } from '#libs/testing';
import { EventsModule } from '../events.module.js';
import { HistoryResolver, type HistoryArguments } from '../graphql/history.resolver.js';

@Module({})
class DoorsModule {}

const doors = domainModule({
  name: 'doors',
  module: DoorsModule,
  events: {
    'door-opened': { schemaVersion: 1, data: { by: 'text', code: 'text' }, secrets: ['code'], published: false },
    'door-closed': { schemaVersion: 1, data: {}, published: false },
  },
});

const opened = { type: 'door-opened', data: { by: 'Mia', code: '1234' } };
const closed = { type: 'door-closed', data: {} };

describe('the histories of streams', () => {
  const clock = new SettableClock();
  let tested: TestedModule;
  let application: TestedModule['application'];
  let histories: HistoryResolver;

  beforeAll(async () => {
    const published = PublicEventsModule.forRoot(
      new PublicEventCatalog({ publishedForms: new Map(), publicResources: [] }, 'https://test'),
    );
    tested = await openTestedModule([EventsModule.forRoot(), published], clock, composeModules([doors]));
    application = tested.application;
    histories = new HistoryResolver(application.get(QueryBus));
    const store = application.get(EventStore);
    for (const [expectedVersion, event] of [opened, closed, opened].entries()) {
      for (const stream of ['door-1', 'door-2']) {
        await store.append([{ stream, expectedVersion, events: [event] }], { metadata: { actor: 'system' } });
      }
      clock.advance(10);
    }
  });

  afterAll(() => tested.close());

  it('are those of each stream, in order and without secrets', async () => {
    const history = await histories.history({ nodeId: 'door-2' }, {}, {});
    expect(history.map(({ stream, version, data }) => ({ stream, version, data }))).toEqual([
      { stream: 'door-2', version: 1, data: { by: 'Mia' } },
      { stream: 'door-2', version: 2, data: {} },
      { stream: 'door-2', version: 3, data: { by: 'Mia' } },
    ]);
    expect(await histories.history({ nodeId: 'door-3' }, {}, {})).toEqual([]);
  });

  it.each<[HistoryArguments, readonly number[]]>([
    [{ first: 2 }, [1, 2]],
    [{ first: 2, after: 1 }, [2, 3]],
    [{ first: 2, order: 'newest' }, [3, 2]],
    [{ first: 2, after: 2, order: 'newest' }, [1]],
    [{ first: null, after: null, order: null }, [1, 2, 3]],
  ])('come in pages: %p', async (page, versions) => {
    expect((await histories.history({ nodeId: 'door-1' }, page, {})).map(({ version }) => version)).toEqual(versions);
  });
});
