import { keysPanel } from './keys.mjs';
import { render } from './lit-html/lit-html.js';
import { logPanel } from './log.mjs';
import { connectionNotice, describeHealth, header, projectionsTable, summaryTiles } from './overview.mjs';
import { plotsPanel } from './plots.mjs';
import { describeError, fetchJson, poll } from './requests.mjs';
import { phrase } from './wording.mjs';

const GRACE_MILLISECONDS = 2_500;
const SECONDS_KEPT = 300;

const byId = (id) => document.getElementById(id);
const show = (id, template) => render(template, byId(id));

if (matchMedia('(max-width: 760px)').matches) for (const section of document.querySelectorAll('details[data-folds]')) section.open = false;
const showPlots = plotsPanel(byId('plots'));
const showKeys = keysPanel(byId('keys'));
const showLog = logPanel(byId('log'));

let last = null;
let series = {};
let answeredAt = null;
let data = null;

/** Appends the points of a response. With an older last point it comes from a service that was started again: its points replace all. */
function appendPoints({ columns, last: newLast, rows }) {
  const isRestarted = last === null || newLast < last;
  const append = (name, index) => [...(isRestarted ? [] : (series[name] ?? [])), ...rows.map((row) => row[index])].slice(-SECONDS_KEPT);
  if (rows.length > 0 || isRestarted) series = Object.fromEntries(columns.map((name, index) => [name, append(name, index)]));
  last = newLast;
}

function showHeader({ state, sentence }) {
  show('header', header({ data, state, sentence }));
  document.title = `${phrase(state)} · ${data?.service.title ?? 'Service'} console`;
}

function showAnswer(answer) {
  [data, answeredAt] = [answer, performance.now()];
  appendPoints(data.points);
  byId('lost').hidden = true;
  byId('main').hidden = false;
  byId('main').removeAttribute('data-old');
  showHeader(describeHealth(data.health));
  show('summary', summaryTiles(data, series));
  showPlots(series);
  show('projections', projectionsTable(data));
  showKeys(data);
  showLog(data);
}

/** Returns whether it makes sense to ask again. One failure is no lost connection while the last answer is young. */
function showFailure(error) {
  const isFinal = error.status === 401;
  if (isFinal || answeredAt === null || performance.now() - answeredAt >= GRACE_MILLISECONDS) {
    showHeader({ state: 'lost', sentence: '' });
    show('lost', connectionNotice({ data, reason: describeError(error), isFinal }));
    byId('lost').hidden = false;
    byId('main').dataset.old = 'true';
  }
  return !isFinal;
}

showHeader({ state: 'connecting', sentence: '' });
void poll(() => fetchJson(last === null ? 'data' : `data?after=${last}`), { onAnswer: showAnswer, onFailure: showFailure });
