import { actorLink, streamButton, timeElement } from './event-cells.mjs';
import { withoutLoading } from './forms.mjs';
import { html, nothing, render } from './lit-html/lit-html.js';
import { describeError, latestRequest } from './requests.mjs';
import { notice, table } from './tables.mjs';
import { count, phrase, valueText } from './wording.mjs';

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
      ['Actor', 'short', ({ actor }) => actorLink(actor, onChoice) ?? '–'],
      ['Data', 'data', ({ data }) => dataText(data)],
    ],
    empty: notice('No event: the log is empty, or no event passes the filter.'),
  });
}

function dataText(data) {
  const members = Object.entries(data ?? {}).map(([name, value]) => `${name} ${valueText(value)}`);
  return members.length === 0 ? '–' : members.join(' · ');
}
