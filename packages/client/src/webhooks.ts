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
  /** All events after the one with this id are sent again; 0 for the beginning. */
  readonly after: string;
}

/** The webhook endpoints of the key. Requests that are not idempotent are retried only after 429. */
export class Webhooks<Id> {
  readonly #requests: Requests<Id>;

  constructor(requests: Requests<Id>) {
    this.#requests = requests;
  }

  /** All endpoints, ascending by id. Each iteration starts again. */
  list({ limit, signal }: PageOptions = {}): Pages<Webhook<Id>> {
    return this.#requests.pages({ path: WEBHOOKS, query: { limit }, signal });
  }

  /** Adds one, once, however often the request has to be sent. Where the first answer was lost the secret was too: rotate it then. */
  add(webhook: NewWebhook, options?: CallOptions): Promise<AddedWebhook<Id>>;
  add(webhook: NewWebhook, options: AddOptions): Promise<AddedWebhook<Id>>;
  add(webhook: NewWebhook, options?: CallOptions): Promise<AddedWebhook<Id>> {
    return this.#requests.add(WEBHOOKS, webhook, options);
  }

  /** @throws AdoptionError `not_found` if there is none, or it is another key's */
  get(id: Id, options: NoneMatchOptions): Promise<Tagged<Webhook<Id>> | undefined>;
  get(id: Id, options?: CallOptions): Promise<Tagged<Webhook<Id>>>;
  get(id: Id, options: MatchOptions): Promise<Tagged<Webhook<Id>>>;
  async get(id: Id, options?: CallOptions): Promise<Tagged<Webhook<Id>> | undefined> {
    return this.#requests.read({ path: buildPath(WEBHOOKS, id), ...options });
  }

  /** Omitted members keep their values; null removes one. */
  update(id: Id, changes: WebhookChanges, options?: CallOptions): Promise<Tagged<Webhook<Id>>>;
  update(id: Id, changes: WebhookChanges, options: MatchOptions): Promise<Tagged<Webhook<Id>>>;
  async update(id: Id, changes: WebhookChanges, options?: CallOptions): Promise<Tagged<Webhook<Id>>> {
    return this.#requests.read({ method: 'PATCH', path: buildPath(WEBHOOKS, id), body: changes, ...options });
  }

  /** @throws AdoptionError `not_found` even if the endpoint was deleted by an attempt whose response was lost */
  delete(id: Id, options?: CallOptions): Promise<void>;
  delete(id: Id, options: MatchOptions): Promise<void>;
  async delete(id: Id, options?: CallOptions): Promise<void> {
    await this.#requests.send({ method: 'DELETE', path: buildPath(WEBHOOKS, id), ...options });
  }

  /** Gives it a new secret. */
  rotateSecret(id: Id, { grace, signal }: RotateOptions = {}): Promise<WebhookWithSecret<Id>> {
    return this.#order(id, 'rotate-secret', { signal }, { grace });
  }

  /** The attempts to send to it, the newest first. Each iteration starts again. */
  deliveries(id: Id, { limit, signal }: PageOptions = {}): Pages<Delivery<Id>> {
    return this.#requests.pages({ path: `${buildPath(WEBHOOKS, id)}/deliveries`, query: { limit }, signal });
  }

  /** Has a message of the type `webhook.test` sent. */
  test(id: Id, options?: CallOptions): Promise<AcceptedDelivery<Id>> {
    return this.#order(id, 'test', options);
  }

  /** Sends all events after a position again. */
  replay(id: Id, { after, signal }: ReplayOptions): Promise<AcceptedReplay<Id>> {
    return this.#order(id, 'replay', { signal }, { after });
  }

  /** Sends one event again. */
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
