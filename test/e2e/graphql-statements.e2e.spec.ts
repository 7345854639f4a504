import { jest } from '@jest/globals';
import { Database } from '#libs/database';
import { TimeoutSchedule } from '#libs/processes';
import { startGraphqlService, type GraphqlService } from './graphql.fixture.js';

const PAGE = (first: number) =>
  `{ pets(first: ${first}) { totalCount nodes { id name history { type } } edges { node { history { data } } } } }`;
/** Page, total and histories, and for each whether the read model is current. */
const MOST_STATEMENTS = 6;

describe('a page of the query schema', () => {
  let service: GraphqlService;
  beforeAll(async () => {
    service = await startGraphqlService();
    // What looks for timeouts every second would be counted too.
    await service.app.get(TimeoutSchedule).beforeApplicationShutdown();
  });
  afterAll(() => service.close());

  it('runs as many statements for twenty animals with their history as for two', async () => {
    for (let index = 0; index < 20; index += 1) await service.addPet(`${index}`);
    const statements = jest.spyOn(service.app.get(Database).reader, 'query');
    const forPage = async (first: number) => {
      await service.ask('{ petCounts { count } }');
      const before = statements.mock.calls.length;
      const { data } = await service.ask<{ pets: { nodes: readonly { history: object[] }[] } }>(PAGE(first));
      expect(data?.pets.nodes.map(({ history }) => history.length)).toEqual(Array<number>(first).fill(1));
      return statements.mock.calls.length - before;
    };
    const forTwo = await forPage(2);
    expect(forTwo).toBeGreaterThan(0);
    expect(forTwo).toBeLessThanOrEqual(MOST_STATEMENTS);
    expect(await forPage(20)).toBe(forTwo);
  });
});
