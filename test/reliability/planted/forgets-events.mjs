// A stream that begins is taken to be where the reader of the log is.
import { PublicEventFollower } from '../../../dist/libs/http/public-events/public-event-follower.js';
import { replaceMethod } from '../system/replace-method.mjs';

replaceMethod(
  PublicEventFollower,
  'follow',
  (follow) =>
    function (options) {
      return follow.call(this, { ...options, after: undefined });
    },
);
