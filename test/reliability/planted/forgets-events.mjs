// A stream that begins is taken to be where the reader of the log is.
import { EventSubscription } from '../../../dist/src/events/streams/event-subscription.js';
import { replaceMethod } from '../system/replace-method.mjs';

replaceMethod(
  EventSubscription,
  'catchUp',
  (catchUp) =>
    function () {
      this.scannedUpTo = this.options.follower.position;
      return catchUp.call(this);
    },
);
