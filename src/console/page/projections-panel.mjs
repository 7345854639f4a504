import { element, notice, setAttribute, setText } from './elements.mjs';
import { table, textCell } from './table.mjs';
import { count, duration } from './wording.mjs';

/** The read models: where each stands in the log, and apart from that how far a rebuild of it is. */
export function projectionsPanel(place) {
  return table(place, {
    name: 'Projections',
    keyOf: ({ name, version }) => `${name} ${version}`,
    stateOf: ({ state }) => state,
    columns: [
      { title: 'Projection', className: 'main-cell', make: nameCell },
      { title: 'State', make: stateCell },
      { title: 'Position', isNumber: true, make: textCell(({ position }) => count(position)) },
      { title: 'Lag', isNumber: true, make: textCell(({ lag }) => count(lag)) },
      { title: 'Rebuild', className: 'wide-cell', make: rebuildCell },
    ],
    empty: notice('There is no projection.'),
    unreadable: notice('Projections cannot be read now: the database does not answer.'),
  });
}

function nameCell() {
  const [name, version] = [element('b'), element('small')];
  return {
    parts: [name, ' ', version],
    update(item) {
      setText(name, item.name);
      setText(version, `v${item.version}`);
    },
  };
}

const WORDS = { unused: 'of another build' };

function stateCell() {
  const mark = element('span', { className: 'mark' });
  return {
    parts: [mark],
    update({ state }) {
      setAttribute(mark, 'data-state', state);
      setText(mark, WORDS[state] ?? state);
    },
  };
}

function rebuildCell() {
  const progress = element('progress', { max: 100 });
  const words = element('span');
  return {
    parts: [progress, words],
    update({ name, rebuild }) {
      progress.hidden = rebuild === null;
      if (rebuild !== null) progress.value = rebuild.percent;
      setAttribute(progress, 'aria-label', `Rebuild of ${name}`);
      setAttribute(words, 'class', rebuild === null ? 'quiet' : rebuild.standsStill ? 'warning' : 'working');
      setText(words, rebuild === null ? 'none' : wordsOf(rebuild));
    },
  };
}

function wordsOf({ percent, remainingSeconds, standsStill }) {
  const done = `${percent.toFixed(1)} %`;
  if (standsStill) return `${done}, stands still`;
  return remainingSeconds === null ? `${done}, remaining time not known yet` : `${done}, about ${duration(remainingSeconds)} left`;
}
