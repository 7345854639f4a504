const waiting: (() => void)[] = [];

/**
 * Resolves for one caller in each turn of the event loop, in the order of the calls. Await it before each piece of background work, such as
 * a page of a long log, so that requests are served between two pieces.
 */
export function backgroundTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(resolveNext);
  });
}

function resolveNext(): void {
  waiting.shift()?.();
  // A callback that is set now runs in the next turn.
  if (waiting.length > 0) setImmediate(resolveNext);
}
