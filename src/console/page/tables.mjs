import { byBanAndUse, countBans } from './key-model.mjs';
import { repeat } from './lit-html/directives/repeat.js';
import { html, nothing } from './lit-html/lit-html.js';
import { ago, capitalize, count, duration, percent, several, until } from './wording.mjs';

/** A notice for an empty table, with a command that would fill it. */
export function notice(text, command) {
  return html`<div class="card note">
    <p>${text}</p>
    ${command ? html`<code>${command}</code>` : nothing}
  </div>`;
}

/**
 * A table whose rows keep their elements, found by `key`; on a narrow page rows stand as cards. A column is a title, the class of its
 * cells and a function that makes the content of a cell. `empty` stands instead of a table without rows, a notice instead of null.
 */
export function table({ name, rows, columns, key, state, empty }) {
  if (rows === null) return notice(`${name} cannot be read now: the database does not answer.`);
  if (rows.length === 0) return empty;
  const heading = ([title, classes]) => html`<th role="columnheader" scope="col" class=${classes}>${title}</th>`;
  const row = (item) =>
    html`<tr role="row" class=${state?.(item) ?? nothing}>
      ${columns.map(([title, classes, cell]) => html`<td role="cell" data-title=${title} class=${classes}>${cell(item)}</td>`)}
    </tr>`;
  return html`<div class="card region" role="group" tabindex="0" aria-label=${name}>
    <table role="table" aria-label=${name}>
      <thead role="rowgroup">
        <tr role="row">
          ${columns.map(heading)}
        </tr>
      </thead>
      <tbody role="rowgroup">
        ${repeat(rows, key, row)}
      </tbody>
    </table>
  </div>`;
}

/** A name with its value, in a list of them. */
export function entry(name, value, title = nothing) {
  return html`<div>
    <dt title=${title}>${name}</dt>
    <dd>${value}</dd>
  </div>`;
}

const mark = (state, text = state) => html`<span class="mark" data-state=${state}>${text}</span>`;

/** The read models: where each stands in the log, and how far its rebuild is. */
export function projectionsTable({ projections }) {
  return table({
    name: 'Projections',
    rows: projections,
    key: ({ name, version }) => `${name} ${version}`,
    state: ({ state }) => state,
    columns: [
      ['Projection', 'main-cell', ({ name, version }) => html`<b>${name}</b> <small>v${version}</small>`],
      ['State', '', ({ state }) => mark(state, state === 'unused' ? 'of another build' : state)],
      ['Position', 'number', ({ position }) => count(position)],
      ['Lag', 'number', ({ lag }) => count(lag)],
      ['Rebuild', '', rebuildCell],
    ],
    empty: notice('There is no projection.'),
  });
}

function rebuildCell({ name, rebuild }) {
  if (rebuild === null) return html`<span class="quiet">none</span>`;
  const done = `${rebuild.percent.toFixed(1)} %`;
  const left = rebuild.remainingSeconds === null ? 'remaining time not known yet' : `about ${duration(rebuild.remainingSeconds)} left`;
  return html`<progress aria-label="Rebuild of ${name}" max="100" value=${rebuild.percent}></progress>
    <small data-level=${rebuild.standsStill ? 'warn' : 'work'}>${done}, ${rebuild.standsStill ? 'stands still' : left}</small>`;
}

/** The processes that serve on the same database. */
export function instancesTable({ instances, now }) {
  const nameCell = ({ host, process, here }) =>
    html`<b>${host} / ${process}</b> ${here ? html`<span class="mark">this one</span>` : nothing}`;
  return table({
    name: 'Instances',
    rows: instances,
    key: ({ host, process }) => `${host} ${process}`,
    columns: [
      ['Instance', 'main-cell', nameCell],
      ['Version', '', ({ version }) => version],
      ['Connections', 'number', ({ connections }) => count(connections)],
      ['Since', '', ({ since }) => ago(since, now)],
    ],
    empty: notice('No instance is known yet.'),
  });
}

/**
 * API keys, banned ones first, with what they have used of their limits. `pickedId` is the id of the key whose usage is shown in the
 * element with the id `key-usage`, and `pick` is called with a key whose button is pressed.
 */
export function keysTable(keys, { now, pickedId, pick, empty }) {
  return table({
    name: 'API keys',
    rows: keys && keys.items.toSorted(byBanAndUse),
    key: ({ id }) => id,
    state: ({ state }) => state,
    columns: [
      ['Key', 'main-cell', (key) => keyCell(key, key.id === pickedId, pick)],
      ['Plan', '', ({ plan }) => plan],
      ['Scopes', '', ({ scopes }) => scopes.join(', ')],
      ['State', '', (key) => stateCell(key, now)],
      ['Used this minute', 'number', ({ minute }) => usageCell(minute, now)],
      ['Used today', 'number', ({ day }) => usageCell(day, now)],
      ['Last use', '', (key) => lastUse(key, now)],
    ],
    empty,
  });
}

function keyCell(key, isPicked, pick) {
  const { name, id, owner } = key;
  return html`<b>${name}</b> <small>#${id}</small>
    <button
      type="button"
      class="link"
      aria-expanded=${String(isPicked)}
      aria-controls="key-usage"
      aria-label="Usage of ${name}, key ${id}"
      @click=${() => pick(key)}
    >
      Usage
    </button>
    ${owner === null ? nothing : html`<small class="line">${owner}</small>`}`;
}

function stateCell({ state, ban }, now) {
  if (state !== 'banned') return mark(state);
  const step = ban.step > 0 ? `, step ${ban.step}` : '';
  return html`${mark(state)} ${until(ban.until, now)} left${step} <small class="line">${ban.reason}</small>`;
}

function usageCell({ limit, used, resetsAt }, now) {
  const share = limit === 0 ? 1 : Math.min(1, used / limit);
  const level = share >= 1 ? 'bad' : share >= 0.8 ? 'warn' : nothing;
  return html`${count(used)} / ${count(limit)}
    <progress
      aria-label="Used"
      title="${percent(share)} used; resets in ${until(resetsAt, now)}"
      data-level=${level}
      value=${share}
    ></progress>`;
}

/** The last use is known to the minute. */
function lastUse({ lastUsedAt }, now) {
  if (lastUsedAt === null) return 'never';
  return now - Date.parse(lastUsedAt) < 60_000 ? 'this minute' : ago(lastUsedAt, now);
}

const COUNTING = {
  shared: 'counting with all instances',
  alone: 'counting per instance, since Redis does not answer',
  'in-process': 'counting in this process',
};

/** A sentence on how the limiter counts. */
export function describeLimiter({ limiter: { counting, tracked }, keys }) {
  const bans = keys ? `${several(countBans(keys), 'ban')} in force` : 'bans unknown';
  const trackedKeys = `${several(tracked.keys, 'key')} and ${several(tracked.addresses, 'address', 'addresses')} tracked`;
  return `${capitalize(COUNTING[counting])}; ${trackedKeys}; ${bans}.`;
}
