import { createLogger } from '#libs/observability';
import { parse } from 'graphql';
import { graphqlOptions } from './graphql-driver.js';

describe('the documents that the server keeps', () => {
  const { documentStore } = graphqlOptions({
    introspection: false,
    scope: 'graphql',
    scopes: new Set(),
    logger: createLogger({ level: 'silent' }),
    getRevision: () => Promise.resolve(1n),
    enhanced: { include: () => false },
    present: { now: () => new Date(), readNewestTime: () => Promise.resolve(undefined) },
  });

  it('are bounded by their length, comments included; the one used longest ago goes first', async () => {
    const names = Array.from({ length: 10 }, (_, index) => `query${index}`);
    for (const name of names) {
      await documentStore?.set(name, parse(`{ ${name} } #${'x'.repeat(60_000)}`));
      await documentStore?.get('query0');
    }
    const found = await Promise.all(names.map(async (name) => (await documentStore?.get(name)) !== undefined));
    expect(found).toEqual([true, false, false, ...Array<boolean>(7).fill(true)]);
  });
});
