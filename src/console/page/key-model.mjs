import { count, several, utcDay } from './wording.mjs';

/** The path of a search for the keys that fit all filters with a value; empty if none has one. */
export function keySearchPath(filters) {
  const given = Object.entries(filters)
    .map(([name, text]) => [name, text.trim()])
    .filter(([, text]) => text !== '');
  return given.length === 0 ? '' : `keys?${new URLSearchParams(given).toString()}`;
}

/** A sentence on how many keys are shown, and which. Keys of a search have `more`; without a search there is a `total`. */
export function describeKeys(keys) {
  if (keys === null) return '';
  const { items, total, more } = keys;
  if (more) return `The first ${several(items.length, 'key')} that fit; there are more.`;
  if (more === false) return items.length === 1 ? '1 key fits.' : `${items.length === 0 ? 'No' : count(items.length)} keys fit.`;
  return total > items.length ? `${count(items.length)} of ${count(total)} keys, last used first.` : '';
}

/** A sentence on the usage of a key in these days. */
export function describeUsage(days) {
  const sum = (column) => days.reduce((all, day) => all + day[column], 0);
  const [requests, refusals] = [sum('requests'), sum('refusals')];
  if (requests + refusals === 0) return `No request in ${several(days.length, 'day')}.`;
  const busiest = days.reduce((one, other) => (other.requests > one.requests ? other : one));
  const most = requests === 0 ? '' : `, at most ${count(busiest.requests)} on a day (${utcDay(busiest.date)})`;
  return `${several(requests, 'request')} let through in ${several(days.length, 'day')}${most}; ${count(refusals)} refused.`;
}

const isBanned = ({ state }) => state === 'banned';

/** How many keys are banned now. Banned keys were used recently, so they are among those that are shown. */
export function countBans({ items }) {
  return items.filter(isBanned).length;
}

/** Sorts by ban, then by the minute of the last use, so that rows do not change places with every request. */
export function byBanAndUse(one, other) {
  const minute = ({ lastUsedAt }) => (lastUsedAt === null ? 0 : Math.floor(Date.parse(lastUsedAt) / 60_000));
  return Number(isBanned(other)) - Number(isBanned(one)) || minute(other) - minute(one) || Number(one.id) - Number(other.id);
}
