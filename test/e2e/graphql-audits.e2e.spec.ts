import { serverAudits } from 'graphql-http';
import { startGraphqlService, type GraphqlService } from './graphql.fixture.js';

const audited: { service?: GraphqlService } = {};

const audits = serverAudits({
  url: () => `${audited.service?.origin ?? ''}/graphql`,
  fetchFn: (input: string | URL, { headers, ...init }: RequestInit = {}) =>
    fetch(input, { ...init, headers: { ...(headers as Record<string, string>), authorization: `Bearer ${audited.service?.token ?? ''}` } }),
});

describe('the audits of GraphQL over HTTP', () => {
  beforeAll(async () => (audited.service = await startGraphqlService()));
  afterAll(() => audited.service?.close());

  it('are 61', () => expect(audits).toHaveLength(61));

  it.each(audits)('$id $name', async ({ fn }) => {
    expect(await fn()).toMatchObject({ status: 'ok' });
  });
});
