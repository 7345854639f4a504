import { historyPanel } from './history.mjs';
import { keysPanel } from './keys.mjs';
import { render } from './lit-html/lit-html.js';
import { logPanel } from './log.mjs';
import { appendPoints, describeHealth, isLost, noPoints, tabTitle } from './model.mjs';
import { connectionNotice, header, healthParts, moduleCards, summaryTiles } from './overview.mjs';
import { plotsPanel } from './plots.mjs';
import { describeError, fetchJson, poll } from './requests.mjs';
import { describeLimiter, instancesTable, projectionsTable } from './tables.mjs';
import { clock } from './wording.mjs';

const byId = (id) => document.getElementById(id);
const show = (id, template) => render(template, byId(id));

const showPlots = plotsPanel(byId('plots'));
const showKeys = keysPanel(byId('keys'));
const history = historyPanel(byId('history'));
const showLog = logPanel(byId('log'), history.choose);

let points = noPoints;
let answeredAt = null;
let data = null;

function showHeader({ state, sentence }) {
  show('header', header({ data, state, sentence }));
  document.title = tabTitle(state, data?.service.title ?? 'Service');
}

function showAnswer(answer) {
  [data, answeredAt] = [answer, performance.now()];
  points = appendPoints(points, data.points);
  byId('lost').hidden = true;
  byId('main').hidden = false;
  byId('main').removeAttribute('data-old');
  showHeader(describeHealth(data.health));
  show('health', healthParts(data));
  show('summary', summaryTiles(data, points.series));
  byId('no-request').hidden = data.statuses.length > 0;
  showPlots(points.series, data.statuses);
  show('projections', projectionsTable(data));
  show('instances', instancesTable(data));
  show('limiter', describeLimiter(data));
  showKeys(data);
  showLog(data);
  history.show(data);
  show('modules', moduleCards(data));
}

/** Returns whether it makes sense to ask again. */
function showFailure(error) {
  const [now, isFinal] = [performance.now(), error.status === 401];
  if (isLost({ answeredAt, isFinal, now })) {
    const seconds = answeredAt === null ? null : (now - answeredAt) / 1_000;
    showHeader({ state: 'lost', sentence: data ? `All figures below are old, as of ${clock(data.now)}.` : 'No figures yet.' });
    show('lost', connectionNotice({ data, reason: describeError(error), isFinal, seconds }));
    byId('lost').hidden = false;
    byId('main').dataset.old = 'true';
    if (data) byId('main').style.setProperty('--as-of', `"old, as of ${clock(data.now)}"`);
  }
  return !isFinal;
}

showHeader({ state: 'connecting', sentence: '' });
void poll(() => fetchJson(points.last === null ? 'data' : `data?after=${points.last}`), { onAnswer: showAnswer, onFailure: showFailure });
