import { answerOf, reasonOf } from './answers.mjs';
import { conditionOf } from './condition.mjs';
import { answered, failed, isLost, unconnected } from './connection.mjs';
import { setText } from './elements.mjs';
import { headPanel } from './head-panel.mjs';
import { healthPanel } from './health-panel.mjs';
import { historyPanel } from './history-panel.mjs';
import { instancesPanel } from './instances-panel.mjs';
import { keysPanel, limiterSentence } from './keys-panel.mjs';
import { logPanel } from './log-panel.mjs';
import { modulesPanel } from './modules-panel.mjs';
import { plots } from './plots.mjs';
import { noPoints, withPoints } from './points.mjs';
import { poll } from './polling.mjs';
import { projectionsPanel } from './projections-panel.mjs';
import { statusesPanel } from './statuses-panel.mjs';
import { summaryPanel } from './summary-panel.mjs';

const byId = (id) => document.getElementById(id);

const head = headPanel();
const showHealth = healthPanel(byId('health'));
const showSummary = summaryPanel(byId('summary'));
const showPlots = plots(byId('plots'));
const showStatuses = statusesPanel(byId('plots'));
const showProjections = projectionsPanel(byId('projections'));
const showInstances = instancesPanel(byId('instances'));
const showKeys = keysPanel(byId('keys'));
const history = historyPanel();
const log = logPanel(history.choose);
const showModules = modulesPanel(byId('modules'));

let points = noPoints;
let connection = unconnected;
let latest = null;

function showAnswer(data) {
  connection = answered(performance.now());
  latest = data.now;
  points = withPoints(points, data.points);
  byId('main').hidden = false;
  head.showAnswer(data, conditionOf(data.health));
  showHealth(data.health);
  showSummary(data, points.series);
  byId('no-request').hidden = data.statuses.length > 0;
  showPlots(points.series);
  showStatuses(data.statuses);
  showProjections(data.projections, data.now);
  showInstances(data.instances, data.now);
  setText(byId('limiter'), limiterSentence(data));
  showKeys(data.keys, data.now);
  log.showPosition(data.log);
  history.showPosition(data.log);
  showModules(data.modules);
}

function showFailure(error) {
  connection = failed(connection, reasonOf(error), error.status === 401);
  const now = performance.now();
  if (isLost(connection, now)) {
    const seconds = connection.answeredAt === null ? null : (now - connection.answeredAt) / 1_000;
    head.showLost({ now: latest, seconds, ...connection.failure });
  }
  return !connection.failure.isFinal;
}

byId('load-again').addEventListener('click', () => location.reload());
poll(() => answerOf(points.last === null ? 'data' : `data?after=${points.last}`), { onAnswer: showAnswer, onFailure: showFailure });
