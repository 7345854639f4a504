import { systemTimers } from '#libs/observability';

/** Closes what was opened, at once. However often it is called, that is done once. */
export type Closer = () => Promise<void>;

const PATIENCE_MILLISECONDS = 60_000;
const HOOK_MILLISECONDS = 600_000;

const openedForFile: Closer[] = [];
let openedForTest: Closer[] | undefined;

/**
 * Has this closed when the running test is over, whatever its outcome; what is opened outside of a test and its hooks, when
 * the tests of the file are over. What was opened last is closed first. The result is for what has to be closed before.
 */
export function closeAtEnd(close: () => unknown): Closer {
  let closed: Promise<void> | undefined;
  const closer: Closer = () => (closed ??= closeInTime(close));
  (openedForTest ?? openedForFile).push(closer);
  return closer;
}

/** Has what `open` opens before it returns closed when the tests of the file are over, also if a test calls this. */
export function keepForFile<Opened>(open: () => Opened): Opened {
  const ofTest = openedForTest;
  openedForTest = undefined;
  try {
    return open();
  } finally {
    openedForTest = ofTest;
  }
}

beforeEach(() => {
  openedForTest = [];
});

// Those of describe blocks have run by then, and may need what is still open.
afterEach(async () => {
  const opened = openedForTest ?? [];
  openedForTest = undefined;
  await closeAll(opened);
}, HOOK_MILLISECONDS);

afterAll(() => closeAll(openedForFile), HOOK_MILLISECONDS);

async function closeInTime(close: () => unknown): Promise<void> {
  const closing = Promise.resolve().then(close);
  if (!(await systemTimers.within(closing, PATIENCE_MILLISECONDS))) throw new Error(`This does not come to an end: ${String(close)}`);
  await closing;
}

/** Goes on behind what cannot be closed. @throws AggregateError of the reasons */
async function closeAll(opened: Closer[]): Promise<void> {
  const failures: unknown[] = [];
  for (let close = opened.pop(); close; close = opened.pop()) {
    await close().catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw new AggregateError(failures, `Not everything could be closed: ${failures.map(String).join('; ')}`);
}
