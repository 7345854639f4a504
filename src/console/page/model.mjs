import { phrase } from './wording.mjs';

const GRACE_MILLISECONDS = 2_500;
const SECONDS_KEPT = 300;

/** No point yet. */
export const noPoints = { last: null, series: { time: [] } };

/**
 * Appends the points of a response, as one list for each column, no longer than five minutes.
 * A response with an older last point comes from a service that was started again: its points replace all.
 */
export function appendPoints(points, { columns, last, rows }) {
  const isRestarted = points.last === null || last < points.last;
  const series = columns.map((name, index) => {
    const former = isRestarted ? [] : (points.series[name] ?? []);
    return [name, [...former, ...rows.map((row) => row[index])].slice(-SECONDS_KEPT)];
  });
  return { last, series: { time: [], ...Object.fromEntries(series) } };
}

/** The newest value of a column that is not null, or null. */
export function newest(values = []) {
  return values.findLast((value) => value !== null) ?? null;
}

/** The sum of a column. */
export function total(values = []) {
  return values.reduce((sum, value) => sum + (value ?? 0), 0);
}

/** Whether a failed request means a lost connection. One failure does not while the last answer is younger than 2.5 s; `isFinal` always does. */
export function isLost({ answeredAt, isFinal, now }) {
  return isFinal || answeredAt === null || now - answeredAt >= GRACE_MILLISECONDS;
}

/** The state of the whole service, and a sentence that says why. */
export function describeHealth({ status, draining, parts }) {
  const list = (state) =>
    parts
      .filter((part) => part.state === state)
      .map(({ name, detail }) => (detail ? `${name} (${detail})` : name))
      .join(', ');
  const [unavailable, degraded] = [list('unavailable'), list('degraded')];
  if (draining) return { state: 'draining', sentence: 'The service is shutting down and finishes its running requests.' };
  if (unavailable) return { state: 'unavailable', sentence: `Unavailable: ${unavailable}.` };
  if (status === 'unavailable') return { state: 'unavailable', sentence: 'The service takes no requests.' };
  if (degraded) return { state: 'degraded', sentence: `The service works, but with less than it should: ${degraded}.` };
  return { state: 'ready', sentence: parts.length === 1 ? 'The only part is ready.' : `All ${parts.length} parts are ready.` };
}

/** The title of the tab. */
export function tabTitle(state, title) {
  return `${phrase(state)} · ${title} console`;
}

/** The stream that somebody typed. A plain number means an animal. */
export function parseStream(text) {
  const trimmed = text.trim();
  return /^\d+$/.test(trimmed) ? `pet-${BigInt(trimmed)}` : trimmed;
}

/** The stream that a member of an event's data refers to, such as `petId`, or null. */
export function referencedStream(name, value) {
  const [, kind] = /^(pet|order)Id$/.exec(name) ?? [];
  return kind && /^\d+$/.test(String(value)) ? `${kind}-${value}` : null;
}

/** Whether an actor is an API key, such as `api-key-7`: it is the name of the key's stream too. */
export function isApiKey(actor) {
  return /^api-key-\d+$/.test(actor ?? '');
}

/** The members of each event's data, oldest event first, with the value `before` if it is known and differs. */
export function listChanges(events) {
  const known = new Map();
  return events.map(({ data }) =>
    Object.entries(data ?? {}).map(([name, value]) => {
      const before = known.get(name);
      const isChanged = known.has(name) && JSON.stringify(before) !== JSON.stringify(value);
      known.set(name, value);
      return { name, value, ...(isChanged && { before }) };
    }),
  );
}
