// A stream that has caught up is given once more what it has read for itself.
import { EventSubscription } from '../../../dist/src/events/streams/event-subscription.js';
import { replaceMethod } from '../system/replace-method.mjs';

replaceMethod(
  EventSubscription,
  'takeNews',
  (takeNews) =>
    function (news) {
      const known = this.scannedUpTo;
      if (this.isLive) this.scannedUpTo = 0n;
      takeNews.call(this, news);
      if (this.scannedUpTo < known) this.scannedUpTo = known;
    },
);
