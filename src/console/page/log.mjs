import { html, nothing, render } from './lit-html/lit-html.js';
import { describeError, latestRequest } from './requests.mjs';
import { choice, filterForm, table, textField } from './table.mjs';
import { clock, count } from './wording.mjs';

/** The newest events, with filters: those of one stream are its history. The returned function shows a snapshot. */
export function logPanel(place) {
  const log = { types: [], events: undefined, position: null, requested: '', filters: {}, isPaused: false, isInvalid: false, says: '' };
  const draw = (changes) => render(logTemplate(Object.assign(log, changes), { filter, chooseStream, togglePause }), place);
  const request = latestRequest({
    show: ({ types, items }) => draw({ types, events: items, isInvalid: false, says: '' }),
    fail(error) {
      const isInvalid = error.status === 400;
      // Events of another filter are no answer to this one. What failed otherwise is requested again.
      draw({ isInvalid, says: `Not shown: ${describeError(error)}.`, ...(isInvalid ? { events: [] } : { requested: '' }) });
    },
  });

  function refresh() {
    const path = `events?${new URLSearchParams(log.filters).toString()}`;
    const wanted = `${path} ${log.position}`;
    const isRead = log.requested.startsWith(`${path} `) && (log.isPaused || place.querySelector('table')?.matches(':focus-within'));
    if (log.position !== null && wanted !== log.requested && !isRead) {
      log.requested = wanted;
      void request(path);
    }
    draw();
  }

  function filter({ type, stream }) {
    // A plain number means an animal.
    log.filters = { type, stream: /^\d+$/.test(stream) ? `pet-${BigInt(stream)}` : stream };
    refresh();
  }

  function chooseStream(stream) {
    const form = place.querySelector('form');
    form.reset();
    form.elements.stream.value = stream;
    form.elements.stream.focus();
    filter({ type: '', stream });
  }

  function togglePause() {
    log.isPaused = !log.isPaused;
    refresh();
  }

  draw();
  return (data) => {
    log.position = data.log?.position ?? null;
    if (data.log === null) Object.assign(log, { events: null, requested: '' });
    refresh();
  };
}

function logTemplate({ types, events, position, isPaused, isInvalid, says }, { filter, chooseStream, togglePause }) {
  const pause = html`<button type="button" class="secondary" aria-pressed=${String(isPaused)} @click=${togglePause}>Pause</button>`;
  const fields = [choice('Type', 'type', types), textField('Stream', 'stream', 'pet-7')];
  const newest = position === null ? 'Position unknown.' : `The newest event has position ${count(position)}.`;
  return html`${filterForm({ name: 'Events', fields, buttons: pause, onChange: filter, says: says || newest, isInvalid })}
  ${events === undefined ? nothing : eventsTable(events, chooseStream)}`;
}

function eventsTable(events, chooseStream) {
  const streamButton = (stream) =>
    html`<button type="button" class="link" aria-label="History of ${stream}" @click=${() => chooseStream(stream)}>${stream}</button>`;
  // The actor of a request with a key is the name of the key's stream too.
  const actorCell = ({ actor }) => (/^api-key-\d+$/.test(actor ?? '') ? streamButton(actor) : (actor ?? 'unknown'));
  return table({
    name: 'Newest events',
    rows: events,
    key: ({ position }) => position,
    columns: [
      ['Type', ({ type }) => html`<b>${type}</b>`, 'main'],
      ['Position', ({ position }) => count(position), 'number'],
      ['Time', ({ time }) => html`<time datetime=${time} title=${time}>${clock(time)}</time>`],
      ['Stream', ({ stream, version }) => html`${streamButton(stream)} <small>v${version}</small>`],
      ['Actor', actorCell],
      ['Data', ({ data }) => JSON.stringify(data), 'data'],
    ],
    empty: html`<p>No event: the log is empty, or no event passes the filter.</p>`,
  });
}
