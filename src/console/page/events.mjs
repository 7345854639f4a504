import { repeat } from './lit-html/directives/repeat.js';
import { html, nothing, render } from './lit-html/lit-html.js';
import { listChanges, parseStream, referencedStream } from './model.mjs';
import { describeError, latestRequest } from './requests.mjs';
import { entry, notice, table } from './tables.mjs';
import { clock, count, phrase, several, valueText } from './wording.mjs';

const EVENTS_SHOWN = 50;
const ADD_ANIMAL =
  'curl -s http://127.0.0.1:3000/v1/pets -H "Authorization: Bearer $ADOPTION_KEY" -H \'Content-Type: application/json\' -d \'{"name": "Rex", "categoryId": 7}\'';

/** The newest events, with filters. `onChoice` is called with the stream that somebody chooses in a row. */
export function logPanel(place, onChoice) {
  const log = { types: [], events: undefined, position: null, requested: null, isPaused: false, isInvalid: false, error: '' };
  const filters = () => place.querySelector('form').elements;
  const draw = () => render(logTemplate(log, { refresh, togglePause, clear, onChoice }), place);
  const request = latestRequest({
    show({ types, items }) {
      Object.assign(log, { types, events: items, isInvalid: false, error: '' });
      draw();
    },
    fail(error) {
      log.isInvalid = error.status === 400;
      // Events of another filter are no answer to this one.
      if (log.isInvalid) log.events = [];
      else log.requested = null;
      log.error = `Not shown: ${describeError(error)}.`;
      draw();
    },
  });

  function refresh() {
    const { type, stream } = filters();
    const parameters = { type: type.value, stream: stream.value.trim() };
    const path = `events?${new URLSearchParams(parameters).toString()}`;
    log.isFiltered = parameters.type !== '' || parameters.stream !== '';
    const isSamePath = log.requested?.path === path;
    log.isHeld = isSamePath && (log.isPaused || place.querySelector('.region')?.matches(':focus-within') === true);
    if (log.position !== null && !log.isHeld && !(isSamePath && log.requested.position === log.position)) {
      log.requested = { path, position: log.position };
      void request(path);
    }
    draw();
  }

  function togglePause() {
    log.isPaused = !log.isPaused;
    refresh();
  }

  function clear() {
    place.querySelector('form').reset();
    refresh();
  }

  draw();
  return (data) => {
    if (data.log === null) Object.assign(log, { events: null, requested: null });
    log.position = data.log?.position ?? null;
    refresh();
  };
}

function logTemplate(log, { refresh, togglePause, clear, onChoice }) {
  return html`<form class="row" @change=${refresh} @submit=${withoutLoading(refresh)}>
      <label>
        Type
        <select name="type">
          <option value="">all types</option>
          ${log.types.map((type) => html`<option>${type}</option>`)}
        </select>
      </label>
      <label>
        Stream
        <input
          name="stream"
          autocomplete="off"
          spellcheck="false"
          placeholder="pet-7"
          size="12"
          aria-describedby="log-says"
          aria-invalid=${log.isInvalid ? 'true' : nothing}
        />
      </label>
      <button type="submit">Show</button>
      <button type="button" @click=${clear}>Clear</button>
      <button type="button" aria-pressed=${String(log.isPaused)} @click=${togglePause}>Pause</button>
    </form>
    <p id="log-says" class="under" role="status">${log.error}</p>
    <p class="under">${describePosition(log)}</p>
    ${eventsTable(log.events, onChoice)} ${hasNoAnimal(log) ? notice('There is no animal yet. This adds one:', ADD_ANIMAL) : nothing}`;
}

function describePosition({ position, requested, isPaused, isHeld }) {
  if (position === null) return 'Position unknown.';
  const newest = `The newest event has position ${count(position)}.`;
  if (!isHeld) return newest;
  const at = count(requested.position);
  return isPaused ? `Paused at ${at}. ${newest}` : `Held at ${at} while the focus is in the list. ${newest}`;
}

function hasNoAnimal({ events, isFiltered }) {
  return events && !isFiltered && events.length < EVENTS_SHOWN && !events.some(({ type }) => type.startsWith('pet-'));
}

function eventsTable(events, onChoice) {
  if (events === undefined) return nothing;
  const now = Date.now();
  return table({
    name: 'Newest events',
    rows: events,
    key: ({ position }) => position,
    columns: [
      ['Position', 'short number', ({ position }) => count(position)],
      ['Time', 'short', ({ time }) => timeElement(time, now)],
      ['Type', 'main-cell short', ({ type }) => html`<span title=${type}>${phrase(type)}</span>`],
      ['Stream', 'short', ({ stream }) => streamButton(stream, onChoice)],
      ['Actor', 'short', ({ actor }) => actor ?? '–'],
      ['Data', 'data', ({ data }) => dataText(data)],
    ],
    empty: notice('No event: the log is empty, or no event passes the filter.'),
  });
}

function timeElement(time, now) {
  return html`<time datetime=${time} title=${time}>${clock(time, now)}</time>`;
}

function dataText(data) {
  const members = Object.entries(data ?? {}).map(([name, value]) => `${name} ${valueText(value)}`);
  return members.length === 0 ? '–' : members.join(' · ');
}

function streamButton(stream, onChoice) {
  return html`<button type="button" class="link" aria-label="History of ${stream}" @click=${() => onChoice(stream)}>${stream}</button>`;
}

function withoutLoading(handle) {
  return (event) => {
    event.preventDefault();
    handle(event);
  };
}

/** The history of one stream as a time line, which is requested again when the log has grown. */
export function historyPanel(place) {
  const history = { stream: '', events: [], words: 'Type a number, or choose a stream in the log.', requested: null, position: null };
  const draw = (changes) => render(historyTemplate(Object.assign(history, changes), { look, choose }), place);
  const request = latestRequest({
    show: ({ stream, items }) => draw({ events: items, words: describeHistory(stream, items) }),
    fail(error) {
      draw({ words: `Not shown: ${describeError(error)}.`, ...(error.status === 400 ? { events: [] } : { requested: null }) });
    },
  });

  function refresh() {
    if (history.stream === '' || history.requested === history.position) return;
    history.requested = history.position;
    void request(`history?${new URLSearchParams({ stream: history.stream }).toString()}`);
  }

  function look(stream) {
    const words = stream === '' ? 'Type a number, or choose a stream in the log.' : `Looking for ${stream}.`;
    draw({ words, requested: null, ...(stream !== history.stream && { stream, events: [] }) });
    refresh();
  }

  function choose(stream) {
    document.getElementById('stream').value = stream;
    look(stream);
    // On a narrow page the history stands below the log.
    const heading = document.getElementById('history-heading');
    heading.focus({ preventScroll: true });
    heading.scrollIntoView({ block: 'nearest' });
  }

  draw();
  return {
    choose,
    show({ log }) {
      history.position = log?.position ?? null;
      if (log) refresh();
      else if (history.stream !== '') {
        draw({ events: [], words: 'The history cannot be read now: the database does not answer.', requested: null });
      }
    },
  };
}

function describeHistory(stream, events) {
  if (events.length === 0) return `Nothing has happened to ${stream}.`;
  return `${stream}: ${events[0].version > 1 ? 'the newest ' : ''}${several(events.length, 'event')}, oldest first.`;
}

function historyTemplate({ events, words }, { look, choose }) {
  return html`<form class="row" @submit=${withoutLoading(({ target }) => look(parseStream(target.elements.stream.value)))}>
      <label for="stream">Animal’s number or stream</label>
      <input id="stream" autocomplete="off" spellcheck="false" placeholder="7 or order-3" size="12" aria-describedby="history-says" />
      <button type="submit">Show</button>
    </form>
    <p id="history-says" class="under" role="status">${words}</p>
    ${events.length > 0 ? timeLine(events, choose) : nothing}`;
}

function timeLine(events, onChoice) {
  const [changes, now] = [listChanges(events), Date.now()];
  const moment = ({ time, type, actor, version }, index) =>
    html`<li>
      <p class="row"><b title=${type}>${phrase(type)}</b> ${timeElement(time, now)}</p>
      <p class="under">${actor ? `by ${actor}` : 'actor unknown'}, version ${version}</p>
      <dl>${changes[index].map((change) => changeTemplate(change, onChoice))}</dl>
    </li>`;
  return html`<div class="card region" role="group" tabindex="0" aria-label="Time line">
    <ol class="time-line" aria-label="Events, oldest first">
      ${repeat(events, ({ position }) => position, moment)}
    </ol>
  </div>`;
}

function changeTemplate({ name, value, ...former }, onChoice) {
  const stream = referencedStream(name, value);
  const before = 'before' in former ? html`<del>${valueText(former.before)}</del> → ` : nothing;
  return entry(phrase(name), [before, stream ? streamButton(stream, onChoice) : valueText(value)]);
}
