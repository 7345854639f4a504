import { EventStore } from '#libs/event-sourcing';
import { SettableClock } from '#libs/testing';
import { WebhookSecrets } from '../../src/webhooks/records/webhook-secrets.js';
import type { Answer, RequestOptions } from './api-client.fixture.js';
import { startGraphqlService, type GraphqlService } from './graphql.fixture.js';
import { UNLIMITED, type ServiceOptions } from './service.fixture.js';

export const WEBHOOKS = '/v1/webhooks';
const OWNING = ['webhooks', 'events'];
/** A public address, which nothing is sent to: delivery does not run where a test does not ask for it. */
export const ADDRESS = 'https://1.1.1.1/events';

export interface WebhookBody {
  readonly id: number;
  readonly url: string;
  readonly types: readonly string[];
  readonly description?: string;
  readonly enabled: boolean;
  readonly disabledReason?: string;
  readonly silentReason?: string;
  readonly createdAt: string;
  readonly secret?: string;
}

export interface WebhookService extends GraphqlService {
  /** Two keys with the scopes `webhooks` and `events`. */
  readonly owner: string;
  readonly neighbour: string;
  /** A key with the scope `graphql` too. */
  readonly tools: string;
  readonly ownerId: bigint;
  send(method: string, path?: string, options?: RequestOptions): Promise<Answer>;
  add(values?: object, options?: RequestOptions): Promise<WebhookBody>;
  /** The secrets with which messages to the endpoint are signed now. */
  secretsOf(id: number): Promise<readonly string[]>;
  historyOf(id: number): Promise<string[]>;
}

export async function startWebhooks(options: ServiceOptions = {}): Promise<WebhookService> {
  const service = await startGraphqlService({ clock: new SettableClock(), polls: false, ...options });
  const { app, client } = service;
  const issue = (...scopes: string[]) => service.issueKey({ ...UNLIMITED, scopes });
  const [owner, neighbour, tools] = [await issue(...OWNING), await issue(...OWNING), await issue(...OWNING, 'graphql')];
  const send: WebhookService['send'] = (method, path = '', further = {}) =>
    client.send(method, `${WEBHOOKS}${path}`, { key: owner.token, ...further });
  return {
    ...service,
    get app() {
      return service.app;
    },
    owner: owner.token,
    neighbour: neighbour.token,
    tools: tools.token,
    ownerId: owner.id,
    send,
    async add(values = {}, further = {}) {
      const answer = await send('POST', '', { body: { url: ADDRESS, ...values }, ...further });
      if (answer.status !== 201) throw new Error(`Nothing was added: ${answer.text}`);
      return answer.json();
    },
    secretsOf: (id) => app.get(WebhookSecrets, { strict: false }).current(BigInt(id)),
    historyOf: async (id) => (await app.get(EventStore).readAll({ streams: [`webhook-${id}`] })).map(({ type }) => type),
  };
}
