import { html, nothing, render } from './lit-html/lit-html.js';
import { describeError, fetchJson } from './requests.mjs';
import { table } from './table.mjs';
import { count, several } from './wording.mjs';

/** Shows the requests of one key in 30 days in a dialog. Returns the function that opens it for a key. */
export function usageDialog(dialog) {
  return async (key) => {
    const draw = (says, days) => render(usageTemplate(key, { says, days, close: () => dialog.close() }), dialog);
    draw('Reading the usage.');
    dialog.showModal();
    try {
      const { days } = await fetchJson(`key-usage?id=${key.id}`);
      draw(describeUsage(days), days.toReversed());
    } catch (error) {
      draw(`Not shown: ${describeError(error)}.`);
    }
  };
}

function describeUsage(days) {
  const sum = (column) => days.reduce((all, day) => all + day[column], 0);
  return `${several(sum('requests'), 'request')} let through in ${several(days.length, 'day')}; ${count(sum('refusals'))} refused.`;
}

function usageTemplate({ name, id }, { says, days, close }) {
  return html`<article aria-labelledby="key-usage-heading">
    <header>
      <button type="button" rel="prev" aria-label="Close" @click=${close}></button>
      <h2 id="key-usage-heading">Requests of ${name} <small>#${id}</small>, by UTC day</h2>
    </header>
    <p role="status">${says}</p>
    ${days ? daysTable(days) : nothing}
  </article>`;
}

function daysTable(days) {
  const most = Math.max(1, ...days.map(({ requests }) => requests));
  return table({
    name: 'Usage by day',
    rows: days,
    key: ({ date }) => date,
    columns: [
      ['Day', ({ date }) => date, 'main'],
      ['Let through', ({ requests }) => count(requests), 'number'],
      ['Share of the most', ({ date, requests }) => html`<progress aria-label=${date} max=${most} value=${requests}></progress>`],
      ['Refused', ({ refusals }) => count(refusals), 'number'],
    ],
    empty: nothing,
  });
}
