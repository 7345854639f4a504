import { usageDialog } from './key-usage.mjs';
import { html, nothing, render } from './lit-html/lit-html.js';
import { describeError, latestRequest } from './requests.mjs';
import { choice, filterForm, mark, table, textField } from './table.mjs';
import { clock, count, several, until } from './wording.mjs';

/**
 * The API keys: the latest used of each snapshot, or those that a search finds. `dataset` of the place has the command that creates a
 * key, and the values of the filters. The returned function shows a snapshot.
 */
export function keysPanel(place) {
  const keys = { data: null, search: '', shown: undefined, says: '', isInvalid: false };
  const openUsage = usageDialog(document.getElementById('key-usage'));
  const draw = (changes) => {
    const focused = document.activeElement;
    render(keysTemplate(Object.assign(keys, changes), { options: place.dataset, filter, openUsage }), place);
    // A row that moves takes the focus from its button.
    if (focused !== document.activeElement && focused.isConnected) focused.focus({ preventScroll: true });
  };
  const request = latestRequest({
    // A response may come after the filters were cleared.
    show: (found) => keys.search !== '' && draw({ shown: found, says: describeFound(found), isInvalid: false }),
    fail: (error) =>
      keys.search !== '' && draw({ shown: undefined, says: `Not shown: ${describeError(error)}.`, isInvalid: error.status === 400 }),
  });

  function refresh() {
    if (keys.search !== '') return void request(`keys?${keys.search}`);
    draw({ shown: keys.data.keys, says: describeLatest(keys.data), isInvalid: false });
  }

  function filter(filters) {
    const given = Object.entries(filters).filter(([, text]) => text !== '');
    keys.search = new URLSearchParams(given).toString();
    refresh();
  }

  return (data) => {
    keys.data = data;
    refresh();
  };
}

function describeFound({ items, more }) {
  return more ? `The first ${several(items.length, 'key')} that fit; there are more.` : `${several(items.length, 'key')} found.`;
}

const COUNTING = {
  shared: 'Counting with all instances',
  alone: 'Counting per instance, since Redis does not answer',
  'in-process': 'Counting in this process',
};

function describeLatest({ keys, limiter: { counting, tracked } }) {
  const shown = keys && keys.total > keys.items.length ? ` ${count(keys.items.length)} of ${count(keys.total)} keys, last used first.` : '';
  return `${COUNTING[counting]}; ${several(tracked.keys, 'key')} and ${several(tracked.addresses, 'address', 'addresses')} tracked.${shown}`;
}

function keysTemplate({ data, search, shown, says, isInvalid }, { options, filter, openUsage }) {
  const fields = [
    textField('Name', 'name', 'contains'),
    textField('Owner', 'owner', 'exactly'),
    choice('State', 'status', options.statuses.split(' ')),
    choice('Plan', 'plan', options.plans.split(' ')),
    textField('Day used above (%)', 'usedAbove', '80'),
  ];
  const empty = search === '' ? html`<p>There is no key yet. This makes one: <code>${options.keyCommand}</code></p>` : nothing;
  return html`${filterForm({ name: 'API keys', fields, onChange: filter, says, isInvalid })}
  ${shown === undefined ? nothing : keysTable(shown, { now: data.now, openUsage, empty })}`;
}

/** Sorts by ban, then by the minute of the last use, so that rows do not change places with every request. */
function byBanAndUse(one, other) {
  const minute = ({ lastUsedAt }) => (lastUsedAt === null ? 0 : Math.floor(Date.parse(lastUsedAt) / 60_000));
  const ban = ({ state }) => Number(state === 'banned');
  return ban(other) - ban(one) || minute(other) - minute(one) || Number(one.id) - Number(other.id);
}

function keysTable(keys, { now, openUsage, empty }) {
  const keyCell = (key) =>
    html`<b>${key.name}</b> <small>#${key.id} ${key.owner}</small>
      <button type="button" class="link" aria-label="Usage of ${key.name}, key ${key.id}" @click=${() => openUsage(key)}>Usage</button>`;
  const stateCell = ({ state, ban }) =>
    html`${mark(state)} ${ban ? html`${until(ban.until, now)} left <small>step ${ban.step}, ${ban.reason}</small>` : nothing}`;
  const usedCell = ({ limit, used, resetsAt }) =>
    html`${count(used)} / ${count(limit)}
      <meter
        aria-label="Used of ${count(limit)}"
        title="resets in ${until(resetsAt, now)}"
        min="0"
        max=${limit}
        low=${limit * 0.8}
        high=${limit * 0.999}
        optimum="0"
        value=${used}
      ></meter>`;
  return table({
    name: 'API keys',
    rows: keys && keys.items.toSorted(byBanAndUse),
    key: ({ id }) => id,
    state: ({ state }) => state,
    columns: [
      ['Key', keyCell, 'main'],
      ['Plan', ({ plan }) => plan],
      ['Scopes', ({ scopes }) => scopes.join(', '), 'data'],
      ['State', stateCell, 'data'],
      ['Used this minute', ({ minute }) => usedCell(minute), 'number'],
      ['Used today', ({ day }) => usedCell(day), 'number'],
      ['Last use', ({ lastUsedAt }) => (lastUsedAt === null ? 'never' : clock(lastUsedAt))],
    ],
    empty,
  });
}
