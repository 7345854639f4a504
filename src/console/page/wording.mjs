const WHOLE = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const SHORT = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });
const NOTHING = '–';
const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

/** A number with separated thousands, or an integer in a string, of any size. */
export function count(value) {
  if (value === null || value === undefined) return NOTHING;
  if (typeof value === 'string') return /^-?\d+$/.test(value) ? WHOLE.format(BigInt(value)) : value;
  return Number.isInteger(value) || Math.abs(value) >= 1_000 ? WHOLE.format(value) : SHORT.format(value);
}

/** A number of things, such as `1 event` or `2 events`. */
export function several(number, one, many = `${one}s`) {
  return `${count(number)} ${number === 1 ? one : many}`;
}

/** Milliseconds with at most three digits; from one second on, seconds. */
export function milliseconds(value) {
  if (value === null || value === undefined) return NOTHING;
  return value < 999.5 ? `${SHORT.format(value < 0.01 ? 0 : value)} ms` : `${SHORT.format(value / 1_000)} s`;
}

/** Bytes in the largest unit of which there is at least one. */
export function bytes(value) {
  if (value === null || value === undefined) return NOTHING;
  const power = value < 1 ? 0 : Math.min(4, Math.floor(Math.log2(value) / 10));
  return `${SHORT.format(value / 1_024 ** power)} ${['B', 'KiB', 'MiB', 'GiB', 'TiB'][power]}`;
}

/** A share from 0 to 1 as percent. */
export function percent(share) {
  if (share === null || share === undefined) return NOTHING;
  return `${SHORT.format(share * 100)} %`;
}

const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
];

/** Seconds in their two largest units, such as `4 min 12 s`. */
export function duration(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  const greatest = UNITS.findIndex(([, size]) => whole >= size);
  if (greatest === -1) return '0 s';
  const [[unit, size], smaller] = [UNITS[greatest], UNITS[greatest + 1]];
  const rest = smaller ? Math.floor((whole % size) / smaller[1]) : 0;
  return `${Math.floor(whole / size)} ${unit}${rest > 0 ? ` ${rest} ${smaller[0]}` : ''}`;
}

/** How long ago a moment was. `now` is in milliseconds. */
export function ago(moment, now) {
  const seconds = (now - new Date(moment).getTime()) / 1_000;
  return seconds < 1 ? 'just now' : `${duration(seconds)} ago`;
}

/** The time until a moment. `now` is in milliseconds. */
export function until(moment, now) {
  return duration(Math.ceil((new Date(moment).getTime() - now) / 1_000));
}

/** The local time of day, with the date if it is not that of `now`. */
export function clock(moment, now = moment) {
  const [date, today] = [new Date(moment), new Date(now)];
  const time = date.toLocaleTimeString('en-GB');
  const isToday = date.toDateString() === today.toDateString();
  return isToday ? time : `${date.toLocaleDateString('en-GB', { day: 'numeric', month: 'short', year: 'numeric' })}, ${time}`;
}

/** A UTC day, such as `1 Jun`, from a date or from milliseconds. */
export function utcDay(day) {
  return new Date(day).toLocaleDateString('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });
}

/** A name as a phrase: `petId` is `Pet id`, `api-key-issued` is `API key issued`. */
export function phrase(name) {
  const words = name
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll(/[-_]+/g, ' ')
    .toLowerCase();
  return capitalize(words).replaceAll(/\bapi\b/gi, 'API');
}

/** A text with its first letter in upper case. */
export function capitalize(text) {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

/** A value of an event on one line. Times are local. */
export function valueText(value, now = Date.now()) {
  if (value === null || value === undefined) return 'none';
  if (typeof value === 'string' && TIME.test(value)) return clock(value, now);
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) return value.length === 0 ? 'none' : value.join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** A metric's value in the unit that its name ends in. */
export function figureText(name, value) {
  if (name.endsWith('_bytes')) return bytes(value);
  if (name.endsWith('_seconds')) return value < 60 ? milliseconds(value * 1_000) : duration(value);
  return count(value);
}
