import { phrase } from './wording.mjs';

/** How the service is as a whole: a state, and a sentence that says why. */
export function conditionOf({ status, draining, parts }) {
  const within = (state) => parts.filter((part) => part.state === state).map(({ name, detail }) => (detail ? `${name} (${detail})` : name));
  const [unavailable, degraded] = [within('unavailable'), within('degraded')];
  if (draining) return { state: 'draining', sentence: 'The service is ending and finishes what it has begun.' };
  if (unavailable.length > 0) return { state: 'unavailable', sentence: `Unavailable: ${unavailable.join(', ')}.` };
  if (status === 'unavailable') return { state: 'unavailable', sentence: 'The service takes no requests.' };
  if (degraded.length > 0) return { state: 'degraded', sentence: `It serves, with less than it should: ${degraded.join(', ')}.` };
  return { state: 'ready', sentence: parts.length === 1 ? 'The only part is ready.' : `All ${parts.length} parts are ready.` };
}

/** What the tab of the page is called in a state. */
export function titleOf(state, title) {
  return `${phrase(state)} · ${title} console`;
}
