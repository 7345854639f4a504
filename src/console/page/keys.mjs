import { withoutLoading } from './forms.mjs';
import { describeKeys, keySearchPath } from './key-model.mjs';
import { usagePanel } from './key-usage.mjs';
import { html, nothing, render } from './lit-html/lit-html.js';
import { describeError, latestRequest } from './requests.mjs';
import { keysTable, notice } from './tables.mjs';
import { phrase } from './wording.mjs';

/**
 * The API keys: the latest used of each snapshot, or those that a search finds. `dataset` of the place has the command that creates a
 * key, and the values of the filters. The returned function shows a snapshot.
 */
export function keysPanel(place) {
  const keys = { data: null, path: '', shown: undefined, words: '', isInvalid: false, picked: null };
  const { keyCommand, statuses, plans } = place.dataset;
  const choices = { statuses: statuses.split(' '), plans: plans.split(' ') };
  const request = latestRequest({
    // A response may come after the filters were cleared.
    show: (found) => keys.path !== '' && draw({ shown: found, words: describeKeys(found), isInvalid: false }),
    fail(error) {
      if (keys.path === '') return;
      draw({ shown: undefined, words: `Not shown: ${describeError(error)}.`, isInvalid: error.status === 400 });
    },
  });

  function refresh() {
    const { name, owner, status, plan, above } = place.querySelector('form').elements;
    const [filters, latest] = [{ name, owner, status, plan, above }, keys.data.keys];
    const values = Object.entries(filters).map(([filter, { value }]) => [filter, value]);
    keys.path = keySearchPath(Object.fromEntries(values));
    if (keys.path === '') Object.assign(keys, { shown: latest, words: describeKeys(latest), isInvalid: false });
    else void request(keys.path);
    draw();
  }

  function clear() {
    place.querySelector('form').reset();
    refresh();
  }

  function pick(key) {
    if (key.id === keys.picked?.id) return close();
    draw({ picked: key });
    usage.open(key);
  }

  function close() {
    const button = place.querySelector('[aria-expanded="true"]');
    const hadFocus = usage.close();
    draw({ picked: null });
    if (hadFocus) (button ?? place.querySelector('input')).focus();
  }

  function draw(changes) {
    const focused = document.activeElement;
    render(keysTemplate(Object.assign(keys, changes), { choices, keyCommand, refresh, clear, pick }), place);
    // A row that moves takes the focus from its button.
    if (focused !== document.activeElement && focused.isConnected) focused.focus({ preventScroll: true });
  }

  draw();
  const usage = usagePanel(place.querySelector('#key-usage'), close);
  document.addEventListener('keydown', ({ key, target }) => {
    if (key === 'Escape' && keys.picked && (target === document.body || place.contains(target))) close();
  });
  return (data) => {
    keys.data = data;
    refresh();
    usage.refresh();
  };
}

function keysTemplate({ data, path, shown, words, isInvalid, picked }, { choices, keyCommand, refresh, clear, pick }) {
  const empty = path === '' ? notice('There is no key yet. This makes one:', keyCommand) : nothing;
  return html`<form class="row" role="search" aria-label="API keys" @change=${refresh} @submit=${withoutLoading(refresh)}>
      ${textField('Name', 'name', { placeholder: 'contains', size: 14 })}
      ${textField('Owner', 'owner', { placeholder: 'exactly', size: 14 })} ${choice('State', 'status', choices.statuses)}
      ${choice('Plan', 'plan', choices.plans)}
      <label>
        Used above
        <input
          name="above"
          inputmode="numeric"
          autocomplete="off"
          placeholder="80"
          size="3"
          aria-describedby="keys-says"
          aria-invalid=${isInvalid ? 'true' : nothing}
        />
        % of the day
      </label>
      <button type="submit">Show</button>
      <button type="button" @click=${clear}>Clear</button>
    </form>
    <p id="keys-says" class="under" role="status">${words}</p>
    ${shown === undefined ? nothing : keysTable(shown, { now: data.now, pickedId: picked?.id, pick, empty })}
    <div id="key-usage"></div>`;
}

function textField(label, name, { placeholder, size }) {
  return html`<label>
    ${label}
    <input name=${name} autocomplete="off" spellcheck="false" maxlength="255" placeholder=${placeholder} size=${size} />
  </label>`;
}

function choice(label, name, values) {
  return html`<label>
    ${label}
    <select name=${name}>
      <option value="">any</option>
      ${values.map((value) => html`<option value=${value}>${phrase(value)}</option>`)}
    </select>
  </label>`;
}
