import { html, nothing } from './lit-html/lit-html.js';
import { mark, table } from './table.mjs';
import { clock, count, duration, megabytes, milliseconds, percent, several } from './wording.mjs';

/** The top of the page: which service this is, its state, and facts about the process. */
export function header({ data, state, sentence }) {
  return html`<h1>${data?.service.title ?? 'Console'} ${mark(state)}</h1>
    <p>${sentence}</p>
    ${data ? html`<p><small>${facts(data)}</small></p>` : nothing}`;
}

function facts({ now, service: { deployment, version, host, process, startedAt, database, node } }) {
  const upFor = duration((now - startedAt) / 1_000);
  return `${deployment}, version ${version}, process ${host} / ${process}, up for ${upFor}, ${database}, Node.js ${node}, as of ${clock(now)}`;
}

/** The state of the whole service, and a sentence that says why. */
export function describeHealth({ status, draining, parts }) {
  const list = (state) =>
    parts
      .filter((part) => part.state === state)
      .map(({ name, detail }) => (detail ? `${name} (${detail})` : name))
      .join(', ');
  const [unavailable, degraded] = [list('unavailable'), list('degraded')];
  if (draining) return { state: 'draining', sentence: 'The service is shutting down and finishes its running requests.' };
  if (unavailable) return { state: 'unavailable', sentence: `Unavailable: ${unavailable}.` };
  if (status === 'unavailable') return { state: 'unavailable', sentence: 'The service takes no requests.' };
  if (degraded) return { state: 'degraded', sentence: `The service works, but with less than it should: ${degraded}.` };
  return { state: 'ready', sentence: `Ready: ${list('ready')}.` };
}

/** Says that the connection is lost: since when, why, and whether the page tries again. */
export function connectionNotice({ data, reason, isFinal }) {
  const since = data ? `Connection lost since ${clock(data.now)}, all figures are old` : 'No answer yet';
  return html`<p role="alert"><b>${since}</b>: ${reason}. ${isFinal ? '' : 'Retrying every second.'}</p>
    ${isFinal ? html`<button type="button" @click=${() => location.reload()}>Load the page again</button>` : nothing}`;
}

const newest = (values = []) => values.findLast((value) => value !== null);
const total = (...columns) => columns.flat().reduce((sum, value) => sum + (value ?? 0), 0);
const UNKNOWN = ['unknown', 'the database does not answer', 'bad'];

/** The figures that an operator looks at first, side by side. */
export function summaryTiles(data) {
  return summarize(data).map(
    ([name, value, below, level = 'ready']) =>
      html`<li data-state=${level}><span>${name}</span> <b>${value}</b> <small>${below}</small></li>`,
  );
}

/** Each figure as name, value, a line below it, and a level. */
function summarize({ limiter, keys, log, projections, instances, series }) {
  const { success, redirection, clientError, serverError, aborted } = series;
  const requests = [success, redirection, clientError, serverError, aborted].filter(Boolean);
  const failed = total(serverError);
  const share = failed / total(...requests);
  const bans = keys?.items.filter(({ state }) => state === 'banned').length;
  const isAlone = limiter.counting === 'alone';
  const loopUse = newest(series.loopUse);
  return [
    ['Requests a second', count(total(requests.map((column) => column.at(-1)))), `${count(total(...requests))} in 5 min`],
    ['Server errors', count(failed), failed === 0 ? 'none in 5 min' : `${percent(share)} in 5 min`, levelOf(share, 0, 0.01)],
    ['Response time, p99', milliseconds(newest(series.p99)), `p50 ${milliseconds(newest(series.p50))}`],
    [
      'Limited in 5 min',
      count(total(series.refused)),
      `${several(bans, 'ban')} in force${isAlone ? ', without Redis' : ''}`,
      isAlone || bans > 0 ? 'warn' : 'ready',
    ],
    ['Log position', ...(log ? [count(log.position), `${count(newest(series.events))} events a second`] : UNKNOWN)],
    ['Commit, p99', milliseconds(newest(series.commitP99)), `lock wait ${milliseconds(newest(series.lockWaitP99))}`],
    ['Projections', ...(projections ? summarizeProjections(projections) : UNKNOWN)],
    [
      'Instances',
      ...(instances
        ? [count(instances.count), instances.connections === null ? 'on SQLite' : several(instances.connections, 'connection')]
        : UNKNOWN),
    ],
    ['Event loop', percent(loopUse), `memory ${megabytes(newest(series.memory))}`, levelOf(loopUse, 0.9, 1)],
  ];
}

function levelOf(value, warn, bad) {
  if (value > bad) return 'bad';
  return value > warn ? 'warn' : 'ready';
}

function summarizeProjections(projections) {
  const rebuilds = projections.filter(({ rebuild }) => rebuild);
  const behind = projections.filter(({ state }) => state === 'behind').length;
  if (rebuilds.length > 0) return [`${count(rebuilds[0].rebuild.percent)} %`, `rebuilding ${rebuilds[0].name}`, 'warn'];
  return behind > 0 ? [`${behind} behind`, 'the log', 'warn'] : ['current', several(projections.length, 'projection')];
}

/** The read models: where each stands in the log, and how far its rebuild is. */
export function projectionsTable({ projections }) {
  return table({
    name: 'Projections',
    rows: projections,
    key: ({ name, version }) => `${name} ${version}`,
    columns: [
      ['Projection', ({ name, version }) => html`<b>${name}</b> <small>v${version}</small>`, 'main'],
      ['State', ({ state }) => mark(state, state === 'unused' ? 'of another build' : state)],
      ['Position', ({ position }) => count(position), 'number'],
      ['Lag', ({ lag }) => count(lag), 'number'],
      ['Rebuild', rebuildCell],
    ],
    empty: html`<p>There is no projection.</p>`,
  });
}

function rebuildCell({ name, rebuild }) {
  if (rebuild === null) return 'none';
  return html`<progress aria-label="Rebuild of ${name}" max="100" value=${rebuild.percent}></progress>
    <small>${count(rebuild.percent)} %</small>`;
}
