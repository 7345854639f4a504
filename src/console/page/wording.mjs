const NOTHING = '–';

/** Makes a function that formats a number, and shows a dash if there is none. */
function numberFormat(options) {
  const format = new Intl.NumberFormat('en', options);
  return (value) => (value === null || value === undefined ? NOTHING : format.format(value));
}

/** A number with separated thousands, or an integer in a string, of any size. */
export const count = numberFormat({ maximumFractionDigits: 1 });

/** A share from 0 to 1 as percent. */
export const percent = numberFormat({ style: 'percent', maximumFractionDigits: 1 });

export const milliseconds = numberFormat({ style: 'unit', unit: 'millisecond', maximumSignificantDigits: 3 });

export const megabytes = numberFormat({ style: 'unit', unit: 'megabyte', maximumFractionDigits: 0 });

/** A number of things, such as `1 event` or `2 events`. */
export function several(number, one, many = `${one}s`) {
  return `${count(number)} ${number === 1 ? one : many}`;
}

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
];

/** Seconds in the largest unit of which there is at least one, such as `4 minutes`. */
export function duration(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  const [unit, size] = UNITS.find(([, each]) => whole >= each) ?? UNITS.at(-1);
  return several(Math.floor(whole / size), unit);
}

/** The time until a moment. `now` is in milliseconds. */
export function until(moment, now) {
  return duration(Math.ceil((Date.parse(moment) - now) / 1_000));
}

const CLOCK = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });
const DATE_AND_CLOCK = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });

/** The local time of day, with the date unless it is today. */
export function clock(moment) {
  const date = new Date(moment);
  return (date.toDateString() === new Date().toDateString() ? CLOCK : DATE_AND_CLOCK).format(date);
}
