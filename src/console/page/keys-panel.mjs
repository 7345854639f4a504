import { element, notice, setAttribute, setText } from './elements.mjs';
import { table, textCell } from './table.mjs';
import { ago, count, percent, until } from './wording.mjs';

/** The API keys that were used last, those with a ban first, with what is used of their limits. */
export function keysPanel(place) {
  const update = table(place, {
    name: 'API keys',
    keyOf: ({ id }) => id,
    stateOf: ({ ban, state }) => (ban === null ? state : 'banned'),
    columns: [
      { title: 'Key', className: 'main-cell', make: nameCell },
      { title: 'Plan', make: textCell(({ plan }) => plan) },
      { title: 'Scopes', make: textCell(({ scopes }) => scopes.join(', ')) },
      { title: 'State', className: 'wide-cell', make: stateCell },
      { title: 'Used this minute', className: 'meter-cell', isNumber: true, make: () => windowCell('minute') },
      { title: 'Used today', className: 'meter-cell', isNumber: true, make: () => windowCell('day') },
      { title: 'Last use', make: textCell(lastUse) },
    ],
    empty: notice('There is no key yet. This makes one:', place.dataset.keyCommand),
    unreadable: notice('Keys cannot be read now: the database does not answer.'),
  });
  return (keys, now) => update(keys && inOrder(keys.items), now);
}

/** How many of the keys are banned now: who is banned was used not long ago, and so is among those that are shown. */
export function bansIn({ items }) {
  return items.filter(({ ban }) => ban !== null).length;
}

/** A sentence on how the limiter counts. */
export function limiterSentence({ limiter, keys }) {
  const { counting, tracked } = limiter;
  const bans = keys ? `${several(bansIn(keys), 'ban')} in force` : 'bans unknown';
  const ways = {
    shared: 'counting with all instances',
    alone: 'counting alone, since Redis does not answer',
    'in-process': 'counting in this process',
  };
  const shown = keys && keys.total > keys.items.length ? `${count(keys.items.length)} of ${count(keys.total)} keys, last used first; ` : '';
  const sentence = `${shown}${ways[counting]}; ${several(tracked.keys, 'key')} and ${several(tracked.addresses, 'address')} tracked; ${bans}.`;
  return `${sentence.slice(0, 1).toUpperCase()}${sentence.slice(1)}`;
}

function several(number, name) {
  return `${count(number)} ${number === 1 ? name : name === 'address' ? 'addresses' : `${name}s`}`;
}

/** A last use is known to the minute. */
function lastUse({ lastUsedAt }, now) {
  if (lastUsedAt === null) return 'never';
  return now - new Date(lastUsedAt).getTime() < 60_000 ? 'this minute' : ago(lastUsedAt, now);
}

/** By minute of the last use, so that rows do not change places with every request. */
function inOrder(items) {
  const minuteOf = ({ lastUsedAt }) => (lastUsedAt === null ? 0 : Math.floor(new Date(lastUsedAt).getTime() / 60_000));
  return items.toSorted(
    (one, other) =>
      Number(other.ban !== null) - Number(one.ban !== null) || minuteOf(other) - minuteOf(one) || Number(one.id) - Number(other.id),
  );
}

function nameCell() {
  const [name, id] = [element('b'), element('small')];
  return {
    parts: [name, ' ', id],
    update(key) {
      setText(name, key.name);
      setText(id, `#${key.id}`);
    },
  };
}

function stateCell() {
  const [mark, words] = [element('span', { className: 'mark' }), element('span')];
  return {
    parts: [mark, ' ', words],
    update({ state, ban }, now) {
      setAttribute(mark, 'data-state', ban ? 'banned' : state);
      setText(mark, ban ? 'banned' : state);
      setText(words, ban ? `${until(ban.until, now)} left, step ${ban.step}` : '');
    },
  };
}

function windowCell(name) {
  const words = element('span', { className: 'number' });
  const bar = element('i');
  const meter = element('span', { className: 'meter' }, bar);
  return {
    parts: [words, meter],
    update(key, now) {
      const { limit, used, resetsAt } = key[name];
      const share = limit === 0 ? 1 : Math.min(1, used / limit);
      setText(words, `${count(used)} / ${count(limit)}`);
      setAttribute(meter, 'title', `${percent(share)} used; begins anew in ${until(resetsAt, now)}`);
      setAttribute(meter, 'data-level', share >= 1 ? 'bad' : share >= 0.8 ? 'warn' : 'none');
      bar.style.width = `${share * 100}%`;
    },
  };
}
