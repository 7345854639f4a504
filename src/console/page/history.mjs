import { actorLink, streamButton, timeElement } from './event-cells.mjs';
import { withoutLoading } from './forms.mjs';
import { repeat } from './lit-html/directives/repeat.js';
import { html, nothing, render } from './lit-html/lit-html.js';
import { listChanges, parseStream, referencedStream } from './model.mjs';
import { describeError, latestRequest } from './requests.mjs';
import { entry } from './tables.mjs';
import { phrase, several, valueText } from './wording.mjs';

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

function timeLine(events, choose) {
  const [changes, now] = [listChanges(events), Date.now()];
  const moment = ({ time, type, actor, version }, index) =>
    html`<li>
      <p class="row"><b title=${type}>${phrase(type)}</b> ${timeElement(time, now)}</p>
      <p class="under">${actor ? html`by ${actorLink(actor, choose)}` : 'actor unknown'}, version ${version}</p>
      <dl>${changes[index].map((change) => changeTemplate(change, choose))}</dl>
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
