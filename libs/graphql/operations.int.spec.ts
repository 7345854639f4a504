import type { FastifyRequest } from 'fastify';
import { buildSchema } from 'graphql';
import { createLogger } from '#libs/observability';
import { Operations } from './operations.js';

const READS_ONLY = { readModel: 'things' };

describe('the results of a query that reads one read model', () => {
  /** How often the query runs of three times that it is asked for. */
  async function countRuns(enhanced: boolean): Promise<number> {
    let runs = 0;
    const schema = buildSchema('type Query { things: Int }');
    const field = schema.getQueryType()?.getFields()['things'];
    Object.assign(field ?? {}, { extensions: { readsOnly: READS_ONLY }, resolve: () => ++runs });
    const operations = new Operations(schema, {
      readModels: { revision: () => Promise.resolve(1n) },
      enhanced: { include: () => enhanced },
      introspection: false,
      logger: createLogger({ level: 'silent' }),
    });
    const request = { method: 'POST', responseMediaType: 'application/json', scopes: [] } as unknown as FastifyRequest;
    for (let time = 0; time < 3; time++) await operations.respond(request, { query: '{ things }' });
    return runs;
  }

  it('are kept, unless a guard, an interceptor or a pipe has to run', async () => {
    expect(await countRuns(false)).toBe(1);
    expect(await countRuns(true)).toBe(3);
  });
});
