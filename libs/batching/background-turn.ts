const waiting: (() => void)[] = [];

/**
 * Resolves when it is the caller's turn: one caller in each turn of the event loop, in the order of the calls. Who goes through much that
 * may wait, such as a long log, awaits it before each piece, so that requests are served between two pieces however many do so at once.
 */
export function backgroundTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(giveTurn);
  });
}

function giveTurn(): void {
  waiting.shift()?.();
  // A callback that is set now runs in the next turn.
  if (waiting.length > 0) setImmediate(giveTurn);
}
