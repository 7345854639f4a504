import { oneAtATime, reasonOf } from './answers.mjs';
import { element, keyedChildren, setText } from './elements.mjs';
import { choiceOf } from './log-panel.mjs';
import { changesOf, streamNamed, streamOf } from './time-line.mjs';
import { clock, count, phrase, valueText } from './wording.mjs';

const byId = (id) => document.getElementById(id);

/** The history of one stream as a time line, which is asked for anew when the log has gone on. */
export function historyPanel() {
  const state = { stream: '', asked: null, position: null };
  const list = element('ol', { className: 'time-line', 'aria-label': 'Events, oldest first' });
  const region = element('div', { className: 'region', role: 'group', tabIndex: 0, 'aria-label': 'Time line', hidden: true }, list);
  byId('history').append(region);
  const update = keyedChildren(list, { keyOf: ({ position }) => position, make: (item) => momentOf(item, choose) });
  const showItems = (items) => {
    const changes = changesOf(items);
    region.hidden = items.length === 0;
    update(items.map((item, index) => ({ ...item, changes: changes[index] })));
  };
  const ask = oneAtATime({
    show({ stream, items }) {
      showItems(items);
      setText(
        byId('history-says'),
        items.length === 0
          ? `Nothing has happened to ${stream}.`
          : `${stream}: ${items[0].version > 1 ? 'the newest ' : ''}${countOf(items.length)}, oldest first.`,
      );
    },
    fail(error) {
      if (error.status === 400) showItems([]);
      else state.asked = null;
      setText(byId('history-says'), `Not shown: ${reasonOf(error)}.`);
    },
  });
  const refresh = () => {
    if (state.stream === '' || state.asked === state.position) return;
    state.asked = state.position;
    void ask(`history?${new URLSearchParams({ stream: state.stream }).toString()}`);
  };
  const look = (stream) => {
    if (stream !== state.stream) showItems([]);
    Object.assign(state, { stream, asked: null });
    setText(byId('history-says'), stream === '' ? 'Type a number, or choose a stream in the log.' : `Looking for ${stream}.`);
    refresh();
  };
  function choose(stream) {
    byId('stream').value = stream;
    look(stream);
    // Where the page is narrow the history stands below the log.
    byId('history-heading').focus({ preventScroll: true });
    byId('history-heading').scrollIntoView({ block: 'nearest' });
  }
  byId('choice').addEventListener('submit', (event) => {
    event.preventDefault();
    look(streamOf(byId('stream').value));
  });
  return {
    choose,
    showPosition(log) {
      state.position = log?.position ?? null;
      if (log === null && state.stream !== '') {
        showItems([]);
        setText(byId('history-says'), 'The history cannot be read now: the database does not answer.');
        state.asked = null;
      } else refresh();
    },
  };
}

function countOf(events) {
  return events === 1 ? '1 event' : `${count(events)} events`;
}

function momentOf({ time, type, actor, version, changes }, onChoice) {
  const head = element(
    'p',
    { className: 'moment' },
    element('b', { title: type }, phrase(type)),
    ' ',
    element('time', { dateTime: time, title: time }, clock(time, Date.now())),
  );
  const by = element('p', { className: 'under' }, `${actor ? `by ${actor}` : 'actor unknown'}, version ${version}`);
  const members = element('dl', {}, ...changes.map((change) => memberOf(change, onChoice)));
  return { element: element('li', {}, head, by, ...(changes.length > 0 ? [members] : [])), update() {} };
}

function memberOf(change, onChoice) {
  const { name, value } = change;
  const named = streamNamed(name, value);
  const shown = named ? choiceOf(named, onChoice) : element('span', {}, valueText(value));
  const before = 'before' in change ? [element('del', {}, valueText(change.before)), ' → '] : [];
  return element('div', {}, element('dt', {}, phrase(name)), element('dd', {}, ...before, shown));
}
