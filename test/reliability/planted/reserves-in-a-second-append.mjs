// An order is placed in one append, and its animal reserved in another one.
import { PetReservations } from '../../../dist/src/pets/commands/pet-reservations.js';
import { replaceMethod } from '../system/replace-method.mjs';

replaceMethod(
  PetReservations,
  'execute',
  (execute) =>
    async function (decide, options) {
      let second = [];
      const decideFirst = async () => {
        const appends = await decide();
        const after = appends.findIndex(({ stream }) => typeof stream === 'object') + 1;
        if (after === 0) return appends;
        second = appends.slice(after);
        return appends.slice(0, after);
      };
      const result = await execute.call(this, decideFirst, options);
      if (result.replayed || second.length === 0) return result;
      const id = BigInt(result.events.at(-1).stream.slice('order-'.length));
      const reserved = second.map(({ events, ...rest }) => ({
        ...rest,
        events: events.map(({ type, data }) => ({ type, data: data([id]) })),
      }));
      await this.append(reserved, { metadata: options.metadata });
      return result;
    },
);
