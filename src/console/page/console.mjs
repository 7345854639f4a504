import { keysPanel } from './keys.mjs';
import { render } from './lit-html/lit-html.js';
import { logPanel } from './log.mjs';
import { connectionNotice, describeHealth, header, projectionsTable, summaryTiles } from './overview.mjs';
import { plotsPanel } from './plots.mjs';
import { describeError, fetchJson, poll } from './requests.mjs';

const GRACE_MILLISECONDS = 2_500;

const byId = (id) => document.getElementById(id);
const show = (id, template) => render(template, byId(id));

if (matchMedia('(max-width: 760px)').matches) for (const section of document.querySelectorAll('details[data-folds]')) section.open = false;
const showPlots = plotsPanel(byId('plots'));
const showKeys = keysPanel(byId('keys'));
const showLog = logPanel(byId('log'));

let answeredAt = null;
let data = null;

function showHeader({ state, sentence }) {
  show('header', header({ data, state, sentence }));
  document.title = `${state} · ${data?.service.title ?? 'Service'} console`;
}

function showAnswer(answer) {
  [data, answeredAt] = [answer, performance.now()];
  byId('lost').hidden = true;
  byId('main').hidden = false;
  byId('main').removeAttribute('data-old');
  showHeader(describeHealth(data.health));
  show('summary', summaryTiles(data));
  showPlots(data.series);
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
void poll(() => fetchJson('data'), { onAnswer: showAnswer, onFailure: showFailure });
