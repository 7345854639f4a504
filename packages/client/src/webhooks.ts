import type { AddOptions, CallOptions, MatchOptions, NoneMatchOptions, Tagged } from './conditions.js';
import type {
  AcceptedDelivery,
  AcceptedReplay,
  AddedWebhook,
  Delivery,
  NewWebhook,
  Webhook,
  WebhookChanges,
  WebhookWithSecret,
} from './document.js';
import { buildPath } from './integers.js';
import type { Pages } from './pages.js';
import type { PageOptions, Query, Requests, RotateOptions } from './requests.js';

const WEBHOOKS = '/v1/webhooks';

export interface ReplayOptions extends CallOptions {
  /** The id of the event behind which all are sent once more; 0 for the beginning. */
  readonly after: string;
}

/** The addresses of the key to which events are sent. What would be done twice is tried again after 429 alone. */
export class Webhooks<Id> {
  readonly #requests: Requests<Id>;

  constructor(requests: Requests<Id>) {
    this.#requests = requests;
  }

  /** All endpoints, ascending by id. Each iteration begins anew. */
  list({ limit, signal }: PageOptions = {}): Pages<Webhook<Id>> {
    return this.#requests.pages({ path: WEBHOOKS, query: { limit }, signal });
  }

  /** Adds one, once, however often the request has to be sent. Where the first answer was lost the secret was too: rotate it then. */
  add(webhook: NewWebhook, options?: CallOptions): Promise<AddedWebhook<Id>>;
  add(webhook: NewWebhook, options: AddOptions): Promise<AddedWebhook<Id>>;
  add(webhook: NewWebhook, options?: CallOptions): Promise<AddedWebhook<Id>> {
    return this.#requests.add(WEBHOOKS, webhook, options);
  }

  /** @throws AdoptionError `not_found` where there is none, or it is another key's */
  get(id: Id, options: NoneMatchOptions): Promise<Tagged<Webhook<Id>> | undefined>;
  get(id: Id, options?: CallOptions): Promise<Tagged<Webhook<Id>>>;
  get(id: Id, options: MatchOptions): Promise<Tagged<Webhook<Id>>>;
  async get(id: Id, options?: CallOptions): Promise<Tagged<Webhook<Id>> | undefined> {
    return this.#requests.read({ path: buildPath(WEBHOOKS, id), ...options });
  }

  /** What is left out of the changes stays; null takes away. */
  update(id: Id, changes: WebhookChanges, options?: CallOptions): Promise<Tagged<Webhook<Id>>>;
  update(id: Id, changes: WebhookChanges, options: MatchOptions): Promise<Tagged<Webhook<Id>>>;
  async update(id: Id, changes: WebhookChanges, options?: CallOptions): Promise<Tagged<Webhook<Id>>> {
    return this.#requests.read({ method: 'PATCH', path: buildPath(WEBHOOKS, id), body: changes, ...options });
  }

  /** @throws AdoptionError `not_found` also where an answer was lost and the endpoint deleted already */
  delete(id: Id, options?: CallOptions): Promise<void>;
  delete(id: Id, options: MatchOptions): Promise<void>;
  async delete(id: Id, options?: CallOptions): Promise<void> {
    await this.#requests.send({ method: 'DELETE', path: buildPath(WEBHOOKS, id), ...options });
  }

  /** Gives it a new secret. */
  rotateSecret(id: Id, { grace, signal }: RotateOptions = {}): Promise<WebhookWithSecret<Id>> {
    return this.#order(id, 'rotate-secret', { signal }, { grace });
  }

  /** The attempts to send to it, the newest first. Each iteration begins anew. */
  deliveries(id: Id, { limit, signal }: PageOptions = {}): Pages<Delivery<Id>> {
    return this.#requests.pages({ path: `${buildPath(WEBHOOKS, id)}/deliveries`, query: { limit }, signal });
  }

  /** Has a message of the type `webhook.test` sent. */
  test(id: Id, options?: CallOptions): Promise<AcceptedDelivery<Id>> {
    return this.#order(id, 'test', options);
  }

  /** Has all events behind a position sent once more. */
  replay(id: Id, { after, signal }: ReplayOptions): Promise<AcceptedReplay<Id>> {
    return this.#order(id, 'replay', { signal }, { after });
  }

  /** Has one event sent once more. */
  async redeliver(id: Id, deliveryId: Id, options?: CallOptions): Promise<AcceptedDelivery<Id>> {
    return this.#order(id, `${buildPath('deliveries', deliveryId)}/redeliver`, options);
  }

  async #order<Body>(id: Id, what: string, options?: CallOptions, query: Query = {}): Promise<Body> {
    return this.#requests.read<Body>({
      method: 'POST',
      path: `${buildPath(WEBHOOKS, id)}/${what}`,
      query,
      isRepeatable: false,
      ...options,
    });
  }
}
