import { repeat } from './lit-html/directives/repeat.js';
import { html, nothing } from './lit-html/lit-html.js';

/**
 * A table whose rows keep their elements, found by `key`; on a narrow page rows stand as cards. A column is a title, a function that
 * makes the content of a cell, and a class of its cells. `empty` stands instead of a table without rows.
 * @param rows null if they cannot be read
 */
export function table({ name, rows, columns, key, state = () => nothing, empty }) {
  if (rows === null) return html`<p>${name} cannot be read now: the database does not answer.</p>`;
  if (rows.length === 0) return empty;
  // The roles outlive the styles of a narrow page, with which browsers take a table for none.
  const heading = ([title, , classes]) => html`<th role="columnheader" scope="col" class=${classes ?? nothing}>${title}</th>`;
  const cell = (item, [title, content, classes]) =>
    html`<td role="cell" data-title=${title} class=${classes ?? nothing}>${content(item)}</td>`;
  return html`<div class="overflow-auto" role="group" tabindex="0" aria-label=${name}>
    <table role="table" aria-label=${name}>
      <thead role="rowgroup">
        <tr role="row">
          ${columns.map(heading)}
        </tr>
      </thead>
      <tbody role="rowgroup">
        ${repeat(
          rows,
          key,
          (item) =>
            html`<tr role="row" data-state=${state(item)}>
              ${columns.map((column) => cell(item, column))}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

/** A state in a colour of its own. */
export function mark(state, text = state) {
  return html`<span class="mark" data-state=${state}>${text}</span>`;
}

/** A form of filters, which is read whenever it changes. `says` tells what came of it, and `isInvalid` whether a filter is refused. */
export function filterForm({ name, fields, buttons = nothing, onChange, says, isInvalid }) {
  const change = (event) => {
    event.preventDefault();
    onChange(Object.fromEntries([...new FormData(event.currentTarget)].map(([field, text]) => [field, text.trim()])));
  };
  // The form is reset after its listeners, so its fields are read afterwards.
  const reset = ({ currentTarget }) => setTimeout(() => currentTarget.requestSubmit());
  return html`<search>
      <form class="filters" aria-label=${name} @change=${change} @submit=${change} @reset=${reset}>
        ${fields}
        <button type="submit">Show</button>
        <button type="reset" class="secondary">Clear</button>
        ${buttons}
      </form>
    </search>
    <p role="status" class=${isInvalid ? 'invalid' : nothing}>${says}</p>`;
}

/** A text field of a form of filters. */
export function textField(label, name, placeholder) {
  return html`<label
    >${label}<input name=${name} autocomplete="off" spellcheck="false" maxlength="255" placeholder=${placeholder}
  /></label>`;
}

/** A choice of a form of filters, or none of the values. */
export function choice(label, name, values) {
  return html`<label>
    ${label}
    <select name=${name}>
      <option value="">any</option>
      ${values.map((value) => html`<option>${value}</option>`)}
    </select>
  </label>`;
}
