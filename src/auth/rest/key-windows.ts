import type { WindowUsage } from '../queries/key-usage.query.js';

interface Windows {
  readonly minute: WindowUsage;
  readonly day: WindowUsage;
}

/** Returns the windows of a key as clients see them. */
export function toWindows({ minute, day }: Windows) {
  return { minute: toWindow(minute), day: toWindow(day) };
}

function toWindow({ limit, remaining, resetsAt }: WindowUsage) {
  return { limit, remaining, resetAt: resetsAt };
}
