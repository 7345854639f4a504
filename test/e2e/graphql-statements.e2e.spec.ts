import { jest } from '@jest/globals';
import { Database } from '#libs/database';
import { TimeoutSchedule } from '#libs/event-sourcing';
import { startGraphqlService, type GraphqlService } from './graphql.fixture.js';

const PAGE = (first: number) =>
  `{ pets(first: ${first}) { totalCount nodes { id name history { type } } edges { node { history { data } } } } }`;
/** Page, total and histories, and for each whether the read model is current: asked when that was a moment ago. */
const MOST_STATEMENTS = 6;

describe('a page of the query schema', () => {
  let service: GraphqlService;
  beforeAll(async () => {
    service = await startGraphqlService();
    // What looks for timeouts every second would be counted too.
    await service.app.get(TimeoutSchedule).beforeApplicationShutdown();
  });
  afterAll(() => service.close());

  it('runs no more statements for twenty animals with their history than for a few', async () => {
    for (let index = 0; index < 20; index += 1) await service.addPet(`${index}`);
    const statements = jest.spyOn(service.app.get(Database).reader, 'query');
    const forPage = async (first: number) => {
      const before = statements.mock.calls.length;
      const { data } = await service.ask<{ pets: { nodes: readonly { history: object[] }[] } }>(PAGE(first));
      expect(data?.pets.nodes.map(({ history }) => history.length)).toEqual(Array<number>(first).fill(1));
      return statements.mock.calls.length - before;
    };
    for (const sizes of [
      [2, 3, 4, 5],
      [17, 18, 19, 20],
    ]) {
      const taken: number[] = [];
      for (const first of sizes) taken.push(await forPage(first));
      expect(Math.min(...taken)).toBeGreaterThan(0);
      // Work beside the request (leases, the tail of the log) can only add to a count.
      expect(Math.min(...taken)).toBeLessThanOrEqual(MOST_STATEMENTS);
    }
  });
});
