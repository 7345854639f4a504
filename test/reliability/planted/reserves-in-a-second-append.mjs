// An order is placed in one append, and its animal reserved in another one.
import { PetReservations } from '../../../dist/src/pets/commands/pet-reservations.js';
import { replaceMethod } from '../system/replace-method.mjs';

replaceMethod(
  PetReservations,
  'append',
  (append) =>
    async function (appends, options) {
      const after = appends.findIndex(({ stream }) => typeof stream === 'object') + 1;
      if (after === 0) return append.call(this, appends, options);
      const result = await append.call(this, appends.slice(0, after), options);
      if (result.replayed) return result;
      const id = BigInt(result.events.at(-1).stream.slice('order-'.length));
      const reserved = appends.slice(after).map(({ events, ...rest }) => ({
        ...rest,
        events: events.map(({ type, data }) => ({ type, data: data([id]) })),
      }));
      await append.call(this, reserved, { metadata: options.metadata });
      return result;
    },
);
