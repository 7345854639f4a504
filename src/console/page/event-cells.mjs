import { html } from './lit-html/lit-html.js';
import { isApiKey } from './model.mjs';
import { clock } from './wording.mjs';

/** The time of an event on the clock, with all of it as a title. */
export function timeElement(time, now) {
  return html`<time datetime=${time} title=${time}>${clock(time, now)}</time>`;
}

/** A button that shows the history of a stream. */
export function streamButton(stream, onChoice) {
  return html`<button type="button" class="link" aria-label="History of ${stream}" @click=${() => onChoice(stream)}>${stream}</button>`;
}

/** The actor of an event, as a link if it is an API key, which has a stream; undefined if it is unknown. */
export function actorLink(actor, onChoice) {
  return isApiKey(actor) ? streamButton(actor, onChoice) : actor;
}
