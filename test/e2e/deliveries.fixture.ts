import { until } from '#libs/testing';
import type { RequestOptions } from './api-client.fixture.js';
import { startReceiver, type WebhookReceiver } from './webhook-receiver.fixture.js';
import { startWebhooks, type WebhookBody, type WebhookService } from './webhooks.fixture.js';

/** A delivery as REST gives it. */
export interface DeliveryBody {
  readonly id: number;
  readonly eventId: string;
  readonly type: string;
  readonly attempt: number;
  readonly status?: number;
  readonly error?: string;
  readonly attemptedAt: string;
  readonly nextAttemptAt?: string;
}

/** A service that sends events to a receiver on this machine. */
export interface DeliveringService extends WebhookService {
  readonly receiver: WebhookReceiver;
  /** Adds an endpoint of the owner, at the receiver unless another URL is given. */
  addEndpoint(values?: object, options?: RequestOptions): Promise<WebhookBody>;
  addAnyPet(): Promise<number>;
  /** Resolves with the deliveries to the endpoint, the newest first, once there are so many. */
  untilRecorded(webhook: Pick<WebhookBody, 'id'>, count: number): Promise<DeliveryBody[]>;
}

export async function startDeliveries(environment: Readonly<Record<string, string>> = {}): Promise<DeliveringService> {
  const service = await startWebhooks({ polls: true, environment: { WEBHOOK_ALLOW_LOOPBACK: 'true', ...environment } });
  const receiver = await startReceiver();
  return {
    ...service,
    get app() {
      return service.app;
    },
    receiver,
    addEndpoint: (values = {}, options = {}) => service.add({ url: receiver.url, ...values }, options),
    addAnyPet: async () => (await service.client.post('/v1/pets', { name: 'Rex', categoryId: 7 })).json<{ id: number }>().id,
    async untilRecorded({ id }, count) {
      let deliveries: DeliveryBody[] = [];
      const read = async () => (deliveries = (await service.send('GET', `/${id}/deliveries?limit=100`)).json<DeliveryBody[]>());
      await until(
        async () => (await read()).length >= count,
        () => deliveries,
      );
      return deliveries;
    },
    async close() {
      await service.close();
      await receiver.close();
    },
  };
}
