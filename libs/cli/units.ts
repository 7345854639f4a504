const UNITS: readonly (readonly [unit: string, milliseconds: number])[] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
];

/** Formats a duration in its two largest units, such as `1 h 5 min`, `3 d` or `250 ms`. */
export function duration(milliseconds: number): string {
  if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`;
  const first = UNITS.findIndex(([, length]) => milliseconds >= length);
  let rest = milliseconds;
  const parts = UNITS.slice(first, first + 2).map(([unit, length]) => {
    const count = Math.floor(rest / length);
    rest -= count * length;
    return count === 0 ? '' : `${count} ${unit}`;
  });
  return parts.filter((part) => part !== '').join(' ');
}

/** Formats an instant in UTC to the second, such as `2026-03-01 09:30:05Z`. */
export function instant(time: Date | string): string {
  return `${new Date(time).toISOString().slice(0, 19).replace('T', ' ')}Z`;
}

/** Formats the distance of an instant from now, such as `in 3 d` or `5 min ago`. */
export function formatRelativeTime(time: Date | string, now: Date = new Date()): string {
  const distance = new Date(time).getTime() - now.getTime();
  const unit = UNITS.find(([, length]) => Math.abs(distance) >= length);
  if (!unit) return 'now';
  const length = `${Math.floor(Math.abs(distance) / unit[1])} ${unit[0]}`;
  return distance > 0 ? `in ${length}` : `${length} ago`;
}

/** Formats an instant and its distance from now. */
export function when(time: Date | string | null | undefined): string | undefined {
  return time === null || time === undefined ? undefined : `${instant(time)} (${formatRelativeTime(time)})`;
}
