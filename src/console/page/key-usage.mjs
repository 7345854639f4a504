import { makeChart } from './chart.mjs';
import { describeUsage } from './key-model.mjs';
import { html, nothing, render } from './lit-html/lit-html.js';
import { describeError, latestRequest } from './requests.mjs';
import { count, utcDay } from './wording.mjs';

const DAY_MILLISECONDS = 86_400_000;
/** The service adds up the requests of a day this often. */
const REFRESH_MILLISECONDS = 10_000;

const dayText = (day) => (day === undefined ? '–' : utcDay(day * DAY_MILLISECONDS));

const PLOT = {
  /** Days since 1970. */
  x: {
    scale: { time: false, range: (_chart, first, last) => [first - 0.6, last + 0.6] },
    axis: { space: 48, incrs: [1, 2, 5, 10], values: (_chart, days) => days.map(dayText) },
    series: { label: 'Day', value: (chart, day) => dayText(day ?? chart.data[0].at(-1)) },
  },
  left: { least: 5, unit: count },
  lines: { requests: 'let through', refusals: 'refused' },
  hasBars: true,
};

/** The plot of one key's requests in 30 days. `onClose` is called when its button is pressed. */
export function usagePanel(place, onClose) {
  let [key, chart, requestedAt] = [null, null, null];
  const draw = (words, hasDays) => render(key ? usageTemplate(key, { words, hasDays, onClose }) : nothing, place);
  const request = latestRequest({
    show({ id, days }) {
      if (id === key?.id) showDays(days);
    },
    fail(error) {
      if (key) draw(`${chart ? 'Not refreshed' : 'Not shown'}: ${describeError(error)}.`, chart !== null);
    },
  });

  function showDays(days) {
    draw(describeUsage(days), true);
    const isNew = chart === null;
    chart ??= makeChart(PLOT, place.querySelector('.drawing'));
    const numbers = days.map(({ date }) => Date.parse(date) / DAY_MILLISECONDS);
    chart.setData([numbers, ...Object.keys(PLOT.lines).map((column) => days.map((day) => day[column]))]);
    if (isNew) place.scrollIntoView({ block: 'nearest' });
  }

  function refresh() {
    if (key === null || performance.now() - requestedAt < REFRESH_MILLISECONDS) return;
    requestedAt = performance.now();
    void request(`key-usage?id=${key.id}`);
  }

  /** Returns whether the focus was in the panel. */
  function close() {
    const hadFocus = place.contains(document.activeElement);
    chart?.destroy();
    [key, chart] = [null, null];
    draw();
    return hadFocus;
  }

  return {
    open(picked) {
      close();
      [key, requestedAt] = [picked, -REFRESH_MILLISECONDS];
      draw('Reading the usage.', false);
      refresh();
    },
    refresh,
    close,
  };
}

function usageTemplate({ name, id }, { words, hasDays, onClose }) {
  return html`<figure class="card plot" aria-labelledby="key-usage-heading">
    <div class="row">
      <h3 id="key-usage-heading">Requests of ${name} <small>#${id}</small>, last 30 days (UTC)</h3>
      <button type="button" @click=${onClose}>Close</button>
    </div>
    ${hasDays ? html`<div class="drawing" role="img" aria-label="Requests of each day. ${words}"></div>` : nothing}
    <p class="under" role="status">${words}</p>
  </figure>`;
}
