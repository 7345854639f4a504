import { hostname, userInfo } from 'node:os';
import { UsageError } from '#libs/cli';

const LONGEST = 100;
/** Names by which events say that the service itself or an API key acted. */
const TAKEN = /^(?:system|cli|api-key-.*)$/;

/** Returns the user of the system and its host, such as `alice@shop-1`. */
export function systemActor(): string {
  return `${userName()}@${hostname()}`;
}

/** @throws UsageError for a name that is empty, too long or stands for somebody else */
export function namedActor(name: string): string {
  const isText = name.trim() !== '' && name.length <= LONGEST && !/\p{Cc}/u.test(name);
  if (isText && !TAKEN.test(name)) return name;
  throw new UsageError(`--as must be a name of 1 to ${LONGEST} characters, but not system, cli or that of an API key.`);
}

/** In a container the user may have no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `user-${process.getuid?.() ?? 'unknown'}`;
  }
}
