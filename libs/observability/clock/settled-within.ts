/** Whether a promise settles, in whichever way, within so many milliseconds. Never rejects; what it rejects with is left to who awaits it. */
export async function settledWithin(promise: Promise<unknown>, milliseconds: number): Promise<boolean> {
  return (await outcomeWithin(promise, milliseconds)) !== 'none';
}

/** Whether a promise is fulfilled within so many milliseconds. Never rejects; what it rejects with is left to who awaits it. */
export async function fulfilledWithin(promise: Promise<unknown>, milliseconds: number): Promise<boolean> {
  return (await outcomeWithin(promise, milliseconds)) === 'fulfilled';
}

async function outcomeWithin(promise: Promise<unknown>, milliseconds: number): Promise<'fulfilled' | 'rejected' | 'none'> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'none'>((resolve) => (timer = setTimeout(() => resolve('none'), milliseconds)));
  const outcome = promise.then(
    () => 'fulfilled' as const,
    () => 'rejected' as const,
  );
  try {
    return await Promise.race([outcome, late]);
  } finally {
    clearTimeout(timer);
  }
}
