import { networkError } from './adoption-error.js';
import type { AdoptionEvent } from './document.js';
import { Patience } from './patience.js';
import type { Call, Requests } from './requests.js';

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

/** The events of a stream that goes on over lost connections behind the last position. */
export async function* streamEvents<Id>(requests: Requests<Id>, call: Call): AsyncGenerator<AdoptionEvent<Id>, never> {
  const patience = new Patience(requests.settings.maxWait);
  const progress: Progress = {};
  call.signal?.throwIfAborted();
  for (;;) {
    try {
      yield* eventsOf(requests, call, progress, patience);
    } catch (error) {
      await patience.outlast(error, { signal: call.signal, isRepeatable: true });
    }
  }
}

/** Those that come over one connection. @throws AdoptionError when it has ended */
async function* eventsOf<Id>(
  requests: Requests<Id>,
  call: Call,
  progress: Progress,
  patience: Patience,
): AsyncGenerator<AdoptionEvent<Id>, never> {
  for await (const block of blocksOf(requests, call, progress.position)) {
    const event = eventOf(requests, block);
    // With a position or a comment it has come further than a connection that ends at once.
    if ('id' in block || '' in block) patience.renew();
    if (block.id !== undefined && POSITION.test(block.id)) progress.position = block.id;
    if (event) yield event;
  }
  throw networkError('The stream has ended.');
}

/** Any other block, such as a bookmark, says no more than a position. @throws AdoptionError for what is no JSON */
function eventOf<Id>(requests: Requests<Id>, { id, event, data }: Block): AdoptionEvent<Id> | undefined {
  if (id === undefined || event !== undefined || !data) return undefined;
  // The type is what the document says of events.
  return requests.parse(data, SUCCESS) as AdoptionEvent<Id>;
}

/** The blocks that come over one connection, until it ends. @throws AdoptionError where it is refused, lost or silent for too long */
async function* blocksOf<Id>(requests: Requests<Id>, call: Call, position: string | undefined): AsyncGenerator<Block, void> {
  const connection = new AbortController();
  const abort = (): void => connection.abort(call.signal?.reason);
  call.signal?.addEventListener('abort', abort, { once: true });
  let silence: ReturnType<typeof setTimeout> | undefined;
  const listen = (): void => {
    clearTimeout(silence);
    silence = setTimeout(() => connection.abort(new Error('Nothing was heard for too long.')), LONGEST_SILENCE);
  };
  try {
    listen();
    const headers = { Accept: 'text/event-stream', 'Last-Event-ID': position };
    const { url, init } = requests.requestOf({ ...call, headers, signal: connection.signal });
    const { body } = await requests.open(url, init);
    const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
    let unfinished = '';
    for (;;) {
      listen();
      const { done, value } = (await reader?.read().catch(lost)) ?? { done: true };
      clearTimeout(silence);
      if (done) return;
      const blocks = (unfinished + value).replaceAll('\r\n', '\n').split('\n\n');
      unfinished = blocks.pop() ?? '';
      yield* blocks.map(fieldsOf);
    }
  } finally {
    clearTimeout(silence);
    call.signal?.removeEventListener('abort', abort);
    connection.abort();
  }
}

function lost(cause: unknown): never {
  throw networkError(cause);
}

function fieldsOf(block: string): Block {
  const fields: Record<string, string> = {};
  for (const line of block.split('\n')) {
    const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/.exec(line) ?? [];
    fields[name] = name in fields ? `${fields[name]}\n${value}` : value;
  }
  return fields;
}
