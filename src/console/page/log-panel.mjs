import { oneAtATime, reasonOf } from './answers.mjs';
import { element, notice, setAttribute, setText } from './elements.mjs';
import { table } from './table.mjs';
import { clock, count, phrase, valueText } from './wording.mjs';

const byId = (id) => document.getElementById(id);

/** The tail of the log with its filters. `onChoice` is told the stream that somebody chooses in a row. */
export function logPanel(onChoice) {
  const state = { position: null, asked: null, isUnreadable: false, isPaused: false };
  const show = table(byId('log'), {
    ...ROWS,
    columns: columnsFor(onChoice),
    unreadable: notice('The log cannot be read now: the database does not answer.'),
  });
  const noAnimal = notice(NO_ANIMAL, ADD_ANIMAL);
  noAnimal.hidden = true;
  byId('log').append(noAnimal);
  const ask = oneAtATime({
    show({ types, items }) {
      offerTypes(byId('filter-type'), types);
      show(items, Date.now());
      noAnimal.hidden = isFiltered() || items.length >= 50 || items.some(({ type }) => type.startsWith('pet-'));
      setAttribute(byId('filter-stream'), 'aria-invalid', null);
      setText(byId('log-says'), '');
    },
    fail(error) {
      // What the log had for another filter is no answer to this one.
      if (error.status === 400) show([], Date.now());
      else state.asked = null;
      setAttribute(byId('filter-stream'), 'aria-invalid', error.status === 400 ? 'true' : null);
      setText(byId('log-says'), `Not shown: ${reasonOf(error)}.`);
    },
  });
  const refresh = () => {
    const path = pathOf(byId('filter-type').value, byId('filter-stream').value.trim());
    const isHeld = (state.isPaused || byId('log').matches(':focus-within')) && state.asked?.path === path;
    if (state.position !== null && !isHeld && (state.asked?.path !== path || state.asked.position !== state.position)) {
      state.asked = { path, position: state.position };
      void ask(path);
    }
    setText(byId('log-position'), positionWords(state, isHeld));
  };
  listen(state, refresh);
  return {
    showPosition(log) {
      if (log === null) {
        noAnimal.hidden = true;
        show(null, 0);
      } else if (state.isUnreadable) state.asked = null;
      state.isUnreadable = log === null;
      state.position = log?.position ?? null;
      refresh();
    },
  };
}

const NO_ANIMAL = 'There is no animal yet. This adds one:';
const ADD_ANIMAL =
  'curl -s http://127.0.0.1:3000/v1/pets -H "Authorization: Bearer $ADOPTION_KEY" -H \'Content-Type: application/json\' -d \'{"name": "Rex", "categoryId": 7}\'';
const ROWS = {
  name: 'Newest events',
  keyOf: ({ position }) => position,
  empty: notice('No event: the log is empty, or the filter lets none through.'),
};

function columnsFor(onChoice) {
  return [
    { title: 'Position', isNumber: true, className: 'short', make: once(({ position }) => [count(position)]) },
    {
      title: 'Time',
      className: 'short',
      make: once(({ time }, now) => [element('time', { dateTime: time, title: time }, clock(time, now))]),
    },
    { title: 'Type', className: 'main-cell short', make: once(({ type }) => [element('span', { title: type }, phrase(type))]) },
    { title: 'Stream', className: 'short', make: once(({ stream }) => [choiceOf(stream, onChoice)]) },
    { title: 'Actor', className: 'short', make: once(({ actor }) => [actor ?? '–']) },
    { title: 'Data', className: 'wide-cell data', make: once(({ data }) => [dataText(data)]) },
  ];
}

/** A button that shows the history of a stream. */
export function choiceOf(stream, onChoice) {
  return element(
    'button',
    { type: 'button', className: 'link', 'aria-label': `History of ${stream}`, onclick: () => onChoice(stream) },
    stream,
  );
}

/** An event never changes: its cells are filled once. */
function once(partsOf) {
  return () => {
    const place = element('span');
    return {
      parts: [place],
      update(item, now) {
        if (!place.hasChildNodes()) place.append(...partsOf(item, now));
      },
    };
  };
}

function dataText(data) {
  const members = Object.entries(data ?? {}).map(([name, value]) => `${name} ${valueText(value)}`);
  return members.length === 0 ? '–' : members.join(' · ');
}

function offerTypes(select, types) {
  if (select.options.length === types.length + 1) return;
  const chosen = select.value;
  select.replaceChildren(element('option', { value: '' }, 'all types'), ...types.map((type) => element('option', { value: type }, type)));
  select.value = chosen;
}

function isFiltered() {
  return byId('filter-type').value !== '' || byId('filter-stream').value.trim() !== '';
}

function pathOf(type, stream) {
  return `events?${new URLSearchParams({ type, stream }).toString()}`;
}

function positionWords({ position, asked, isPaused }, isHeld) {
  if (position === null) return 'Position unknown.';
  const newest = `The newest event has position ${count(position)}.`;
  if (!isHeld || asked === null) return newest;
  const at = count(asked.position);
  return isPaused ? `Paused at ${at}. ${newest}` : `Held at ${at} while the focus is in the list. ${newest}`;
}

function listen(state, refresh) {
  const filters = byId('filters');
  offerTypes(byId('filter-type'), []);
  filters.addEventListener('change', refresh);
  filters.addEventListener('submit', (event) => {
    event.preventDefault();
    refresh();
  });
  byId('clear-filters').addEventListener('click', () => {
    filters.reset();
    refresh();
  });
  byId('pause').addEventListener('click', () => {
    state.isPaused = !state.isPaused;
    byId('pause').setAttribute('aria-pressed', String(state.isPaused));
    refresh();
  });
}
