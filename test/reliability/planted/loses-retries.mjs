// How far a webhook endpoint has come is written without the messages to send again.
import { DeliveryStore } from '../../../dist/src/webhooks/records/delivery.store.js';
import { replaceMethod } from '../system/replace-method.mjs';

replaceMethod(DeliveryStore, 'scheduleRetries', () => () => Promise.resolve());
