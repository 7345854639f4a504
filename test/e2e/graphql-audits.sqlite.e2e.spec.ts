import { auditServer, serverAudits, type ServerAuditOptions } from 'graphql-http';
import { startGraphqlService, type GraphqlService } from './graphql.fixture.js';

const audited: { service?: GraphqlService } = {};

const options: ServerAuditOptions = {
  url: () => `${audited.service?.origin ?? ''}/graphql`,
  fetchFn: (input: string | URL, { headers, ...init }: RequestInit = {}) =>
    fetch(input, { ...init, headers: { ...(headers as Record<string, string>), authorization: `Bearer ${audited.service?.token ?? ''}` } }),
};
const audits = serverAudits(options);

describe('the audits of GraphQL over HTTP', () => {
  beforeAll(async () => (audited.service = await startGraphqlService()));
  afterAll(() => audited.service?.close());

  it('are 61', () => expect(audits).toHaveLength(61));

  it('all pass at once, as their authors run them', async () => {
    const results = await auditServer(options);
    expect(results.filter(({ status }) => status !== 'ok').map(({ id, name, status }) => ({ id, name, status }))).toEqual([]);
    expect(results).toHaveLength(audits.length);
  });

  it.each(audits)('$id $name', async ({ fn }) => {
    expect(await fn()).toMatchObject({ status: 'ok' });
  });
});
