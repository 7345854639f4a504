import { countBans } from './key-model.mjs';
import { html, nothing } from './lit-html/lit-html.js';
import { newest, total } from './model.mjs';
import { entry } from './tables.mjs';
import { bytes, clock, count, duration, figureText, milliseconds, percent, phrase, several } from './wording.mjs';

/** The top of the page: which service this is, its state, and facts about the process. */
export function header({ data, state, sentence }) {
  return html`<div class="row">
      <h1>${data?.service.title ?? 'Console'}</h1>
      <p id="state" class="mark sign" data-state=${state}>${phrase(state)}</p>
      <p>${sentence}</p>
    </div>
    <dl id="about" class="row">${facts(data).map(([name, value]) => entry(name, value))}</dl>`;
}

function facts(data) {
  if (!data) return [];
  const { deployment, version, host, process, startedAt, database, node } = data.service;
  return [
    ['Deployment', deployment],
    ['Version', version],
    ['Process', `${host} / ${process}`],
    ['Up for', duration((data.now - startedAt) / 1_000)],
    ['Database', database],
    ['Node.js', node],
    ['As of', clock(data.now)],
  ];
}

/** Says that the connection is lost: since when, why, and whether the page tries again. `seconds` are those since the last answer. */
export function connectionNotice({ data, reason, isFinal, seconds }) {
  const since = data ? `Connection lost since ${clock(data.now)}` : 'No answer yet';
  return html`<p role="alert">${since}: ${reason}.</p>
    ${
      isFinal
        ? html`<button type="button" @click=${() => location.reload()}>Load the page again</button>`
        : html`<p>${seconds === null ? '' : `For ${duration(seconds)}.`} Retrying every second.</p>`
    }`;
}

/** The parts of the service, each with its state in a word. */
export function healthParts({ health }) {
  return health.parts.map(
    ({ name, state, detail }) => html`<li class="mark sign" data-state=${state}>${phrase(name)} <b>${state}</b> ${detail ?? nothing}</li>`,
  );
}

/** The figures that an operator looks at first, side by side. */
export function summaryTiles(data, series) {
  return summarize(data, series).map(
    ([name, value, below, level]) =>
      html`<li class="card tile" data-level=${level ?? nothing}><span>${name}</span><b>${value}</b><small>${below}</small></li>`,
  );
}

const STATUS_CLASSES = ['success', 'redirection', 'clientError', 'serverError'];

/** Each figure as name, value, a line below it, and a level: `good`, `warn`, `bad`, `work` or none. */
function summarize({ limiter, keys, log, projections }, series) {
  const now = (column) => series[column]?.at(-1) ?? 0;
  const sum = (columns, value) => columns.reduce((all, column) => all + value(column), 0);
  const answered = sum(STATUS_CLASSES, (column) => total(series[column]));
  const failed = total(series.serverError);
  const p99 = newest(series.p99);
  const bans = keys ? countBans(keys) : 0;
  const bansText = bans === 0 ? 'no ban' : `${several(bans, 'ban')} in force`;
  const isAlone = limiter.counting === 'alone';
  const loopUse = newest(series.loopUse);
  return [
    ['Requests a second', count(sum([...STATUS_CLASSES, 'aborted'], now)), `${count(answered + total(series.aborted))} in 5 min`],
    [
      'Server’s errors',
      count(failed),
      failed === 0 ? 'none in 5 min' : `${percent(failed / answered)} of answers in 5 min`,
      failed === 0 ? 'good' : failed / answered < 0.01 ? 'warn' : 'bad',
    ],
    ['Time to answer, p99', milliseconds(p99), p99 === null ? 'no request in 5 min' : `p50 ${milliseconds(newest(series.p50))}`],
    [
      'Refused in 5 min',
      count(total(series.refused) + total(series.banned)),
      isAlone ? `${bansText}, counting without Redis` : bansText,
      isAlone || bans > 0 ? 'warn' : 'good',
    ],
    ['Log position', ...(log ? [count(log.position), `${count(now('events'))} events a second`] : UNKNOWN)],
    ['Projections', ...(projections ? summarizeProjections(projections) : UNKNOWN)],
    ['Memory', bytes(newest(series.memory)), `heap ${bytes(newest(series.heap))}`],
    ['Event loop', percent(loopUse), `delay ${milliseconds(newest(series.loopDelay))}`, loopUse > 0.9 ? 'warn' : undefined],
  ];
}

const UNKNOWN = ['unknown', 'database does not answer', 'bad'];

function summarizeProjections(projections) {
  const used = projections.filter(({ state }) => state !== 'unused');
  const greatest = used.reduce((most, { lag }) => (lag !== null && BigInt(lag) > most ? BigInt(lag) : most), 0n);
  const lag = greatest > 0n ? `greatest lag ${count(String(greatest))}` : 'lag 0';
  const rebuilt = used.find(({ rebuild }) => rebuild !== null);
  if (rebuilt) {
    const { percent: done, remainingSeconds, standsStill } = rebuilt.rebuild;
    const rest = remainingSeconds === null ? '' : ` ${duration(remainingSeconds)} left,`;
    const below = `${standsStill ? 'standing still:' : 'rebuilding'} ${rebuilt.name},${rest} ${lag}`;
    return [`${Math.floor(done)} %`, below, standsStill ? 'warn' : 'work'];
  }
  const behind = used.filter(({ state }) => state === 'behind').length;
  return behind > 0 ? [`${behind} behind`, lag, 'warn'] : ['current', lag, 'good'];
}

/** The metrics of each module, as a card. */
export function moduleCards({ modules }) {
  if (modules.length === 0) return html`<p class="under">No module has figures of its own.</p>`;
  return modules.map(
    ({ name, figures }) =>
      html`<section class="card">
        <h3>${phrase(name)}</h3>
        <dl>${figures.map(moduleFigure)}</dl>
      </section>`,
  );
}

function moduleFigure({ name, help, values }) {
  const value = ({ labels, value: number }) => html`<p>${Object.values(labels).join(', ')} <b>${figureText(name, number)}</b></p>`;
  return entry(help, values.length > 0 ? values.map(value) : html`<span class="quiet">none yet</span>`, name);
}
