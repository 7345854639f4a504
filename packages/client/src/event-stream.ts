import { networkError, silenceError } from './adoption-error.js';
import { Deadline } from './deadline.js';
import { lostError, type Call, type Requests } from './requests.js';
import type { Retries } from './retries.js';

/** Three times as long as the service is ever silent, in milliseconds. */
const LONGEST_SILENCE = 45_000;
const SUCCESS = 200;
const POSITION = /^\d{1,19}$/;

/** What stands between empty lines of a stream; a field that comes again is joined by a line break. A comment has the name ''. */
interface Block extends Readonly<Partial<Record<string, string>>> {
  readonly id?: string;
  readonly event?: string;
  readonly data?: string;
}

/** How far a stream has come. */
interface Progress {
  position?: string;
}

/** What one block says. */
interface Step<Event> {
  readonly position: string | undefined;
  readonly event: Event | undefined;
}

/** The events of a stream that continues after the last position if its connection is lost. */
export async function* streamEvents<Event, Id>(
  requests: Requests<Id>,
  call: Call,
  onPosition: ((position: string) => unknown) | undefined,
): AsyncGenerator<Event, void> {
  call.signal?.throwIfAborted();
  for await (const { event, position } of stepsOf<Event, Id>(requests, call)) {
    if (event) yield event;
    // When this continues, the caller's loop has handled the event. What it throws here is not taken for a lost connection.
    if (position !== undefined) await onPosition?.(position);
  }
}

/** The events of all connections, one after another. */
async function* stepsOf<Event, Id>(requests: Requests<Id>, call: Call): AsyncGenerator<Step<Event>, never> {
  const retries = requests.retriesOf(requests.prepare(call));
  const progress: Progress = {};
  for (;;) {
    try {
      yield* stepsOfConnection<Event, Id>(requests, call, progress, retries);
    } catch (error) {
      await retries.waitAfter(error, { signal: call.signal, isRepeatable: true });
    }
  }
}

/** The events of one connection. @throws AdoptionError when it has ended */
async function* stepsOfConnection<Event, Id>(
  requests: Requests<Id>,
  call: Call,
  progress: Progress,
  retries: Retries,
): AsyncGenerator<Step<Event>, never> {
  for await (const block of blocksOf(requests, call, progress.position, retries.attempt)) {
    const step = stepOf<Event, Id>(requests, block);
    // With a position or a comment it has come further than a connection that ends at once.
    if ('id' in block || '' in block) retries.renew();
    if (step.position !== undefined) progress.position = step.position;
    yield step;
  }
  throw networkError('The stream has ended.');
}

/** A block of a name of its own, such as a bookmark, says no more than a position. @throws AdoptionError for what is no JSON */
function stepOf<Event, Id>(requests: Requests<Id>, { id, event, data }: Block): Step<Event> {
  const isEvent = id !== undefined && event === undefined && data !== undefined && data !== '';
  return {
    position: id !== undefined && POSITION.test(id) ? id : undefined,
    // The type is what the document says of events.
    event: isEvent ? (requests.parse(data, { status: SUCCESS }) as Event) : undefined,
  };
}

/** The blocks of one connection, until it ends. @throws AdoptionError if it is refused, lost or silent for too long */
async function* blocksOf<Id>(
  requests: Requests<Id>,
  call: Call,
  position: string | undefined,
  attempt: number,
): AsyncGenerator<Block, void> {
  const deadline = new Deadline(call.signal);
  try {
    const headers = { Accept: 'text/event-stream', 'Last-Event-ID': position };
    const { body } = await requests.open(requests.prepare({ ...call, headers }), attempt, deadline);
    const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
    let unfinished = '';
    for (;;) {
      deadline.set(LONGEST_SILENCE, silenceError(LONGEST_SILENCE));
      const { done, value } = (await reader?.read().catch((cause: unknown) => lost(cause, deadline))) ?? { done: true };
      deadline.clear();
      if (done) return;
      const blocks = (unfinished + value).replaceAll('\r\n', '\n').split('\n\n');
      unfinished = blocks.pop() ?? '';
      yield* blocks.map(fieldsOf);
    }
  } finally {
    deadline.end();
  }
}

function lost(cause: unknown, { signal }: Deadline): never {
  throw lostError(cause, signal);
}

function fieldsOf(block: string): Block {
  const fields: Record<string, string> = {};
  for (const line of block.split('\n')) {
    const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/.exec(line) ?? [];
    fields[name] = name in fields ? `${fields[name]}\n${value}` : value;
  }
  return fields;
}
