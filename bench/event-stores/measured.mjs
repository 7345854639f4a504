/* What both event stores are asked, so that both are asked the same. */
export const CALLERS = 32;
export const STREAM_LENGTH = 1_000;
/** No projection handles it: the event stores are measured by themselves. */
export const EVENT = { type: 'measured', data: { name: 'Rex', categoryId: '7', status: 'available' } };

/** Appends of one event each to streams of their own, by callers that begin anew when they are answered; reads of a long stream. */
export async function measureStore({ append, read }, { seconds }) {
  await timedCalls(CALLERS, 1, append);
  const appends = await timedCalls(CALLERS, seconds, append);
  const long = 'measured-of-a-long-stream';
  for (let index = 0; index < STREAM_LENGTH; index += 1) await append(long);
  const readLong = async () => {
    const events = await read(long);
    if (events.length !== STREAM_LENGTH) throw new Error(`The stream has ${events.length} events.`);
  };
  await timedCalls(1, 1, readLong);
  return { appends, reads: (await timedCalls(1, seconds, readLong)) * STREAM_LENGTH };
}

/** Calls answered in a second. */
async function timedCalls(callers, seconds, call) {
  let calls = 0;
  const startedAt = performance.now();
  const end = startedAt + seconds * 1_000;
  const caller = async () => {
    for (; performance.now() < end; calls += 1) await call();
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return (calls / (performance.now() - startedAt)) * 1_000;
}
