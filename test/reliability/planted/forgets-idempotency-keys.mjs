// Appends do not store the idempotency keys of their requests.
import { EventStore } from '../../../dist/libs/event-sourcing/event-store/event-store.js';
import { replaceMethod } from '../system/replace-method.mjs';

replaceMethod(
  EventStore,
  'append',
  (append) =>
    function (appends, options) {
      return append.call(this, appends, { ...options, idempotency: undefined });
    },
);
