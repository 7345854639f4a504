import type { FastifyRequest } from 'fastify';
import { buildSchema, parse, type OperationDefinitionNode } from 'graphql';
import { KnownOperations } from './known-operations.js';

const READS_ONLY = { readModel: 'things' };

describe('the results of a query that reads one read model', () => {
  /** How often the query runs of three times that it is asked for. */
  async function countRuns(enhanced: boolean): Promise<number> {
    let runs = 0;
    const schema = buildSchema('type Query { things: Int }');
    const field = schema.getQueryType()?.getFields()['things'];
    Object.assign(field ?? {}, { extensions: { readsOnly: READS_ONLY }, resolve: () => ++runs });
    const document = parse('{ things }');
    const ran = { schema, document, operation: document.definitions[0] as OperationDefinitionNode };
    const operations = new KnownOperations(() => Promise.resolve(1n), { include: () => enhanced });
    const request = { method: 'POST', headers: {}, scopes: [] } as unknown as FastifyRequest;
    for (let time = 0; time < 3; time++) {
      await operations.respond(request, { query: '{ things }' }, () => {
        runs += 1;
        return Promise.resolve({ response: { content: '{}', headers: {} }, ran });
      });
    }
    return runs;
  }

  it('are kept, unless a guard, an interceptor or a pipe has to run', async () => {
    expect(await countRuns(false)).toBe(2);
    expect(await countRuns(true)).toBe(3);
  });
});
