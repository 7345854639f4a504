/** Waits, asking again and again, until a change made elsewhere has taken effect, for at most one second of real time. */
export async function withinOneSecond(hasTakenEffect: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 1_000;
  while (!(await hasTakenEffect())) {
    if (performance.now() > deadline) throw new Error('This did not take effect within one second.');
  }
}
