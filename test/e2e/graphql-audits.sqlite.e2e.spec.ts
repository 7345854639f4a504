import { auditServer, type ServerAuditOptions } from 'graphql-http';
import { startGraphqlService, type GraphqlService } from './graphql.fixture.js';

const audited: { service?: GraphqlService } = {};

const options: ServerAuditOptions = {
  url: () => `${audited.service?.origin ?? ''}/graphql`,
  fetchFn: (input: string | URL, { headers, ...init }: RequestInit = {}) =>
    fetch(input, { ...init, headers: { ...(headers as Record<string, string>), authorization: `Bearer ${audited.service?.token ?? ''}` } }),
};
describe('the audits of GraphQL over HTTP', () => {
  beforeAll(async () => (audited.service = await startGraphqlService()));
  afterAll(() => audited.service?.close());

  it('all pass', async () => {
    const results = await auditServer(options);
    expect(results.filter(({ status }) => status !== 'ok').map(({ id, name, status }) => ({ id, name, status }))).toEqual([]);
    expect(results).toHaveLength(61);
  });
});
