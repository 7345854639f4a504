// Commits do not store the idempotency keys of their requests.
import { EventStore } from '../../../dist/libs/event-sourcing/event-store/event-store.js';
import { replaceMethod } from '../system/replace-method.mjs';

replaceMethod(
  EventStore,
  'commit',
  (commit) =>
    function (requests, deadline) {
      const forgetful = requests.map((request) => ({ ...request, idempotency: undefined }));
      return commit.call(this, forgetful, deadline);
    },
);
