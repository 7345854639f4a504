import { RawConnection, type Answer } from '../../../libs/http/testing/raw-connection.js';
import type { HostileRequest } from './hostile-request.js';
import { checkAnswer } from './invariants.js';

/** Longer than the service takes for anything but waiting for a client, which it does not have to do here. */
const HUNG_AFTER_MILLISECONDS = 8_000;
/** Open at the same time: fewer than the service would shed. */
const CONNECTIONS = 24;
/** How long it is waited for an answer where the service may rightly wait for more bytes. */
const PATIENCE_MILLISECONDS = 250;

/** What came of the requests of one connection. */
export interface Outcome {
  readonly answers: readonly { readonly request: HostileRequest; readonly answer: Answer }[];
  /** Requests that the service did not answer, as it had said that it would close the connection. */
  readonly unanswered: number;
}

/** Parts requests into those that share a connection. Only a whole request can be followed by another. */
export function conversationsOf(requests: readonly HostileRequest[]): HostileRequest[][] {
  const conversations: HostileRequest[][] = [];
  for (const request of requests) {
    const current = conversations.at(-1);
    if (request.joins && current?.at(-1)?.framing === 'whole') current.push(request);
    else conversations.push([request]);
  }
  return conversations;
}

/** Holds conversations, some of them at a time. */
export async function converseAll(port: number, conversations: readonly HostileRequest[][]): Promise<Outcome[]> {
  const waiting = conversations.values();
  const outcomes: Outcome[] = [];
  const talk = async (): Promise<void> => {
    for (const conversation of waiting) outcomes.push(await converse(port, conversation));
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, talk));
  return outcomes;
}

/** Sends requests one behind the other on one connection, and checks each answer. Throws when the connection hangs. */
async function converse(port: number, requests: readonly HostileRequest[]): Promise<Outcome> {
  const connection = new RawConnection(port);
  const hung = timer(HUNG_AFTER_MILLISECONDS);
  try {
    return await Promise.race([
      exchange(connection, requests),
      hung.passed.then(() => {
        throw new Error(`hung after ${JSON.stringify(connection.unread.slice(0, 500))}`);
      }),
    ]);
  } catch (cause) {
    throw new Error(`A connection on which was sent: ${requests.map(described).join(', ')}`, { cause });
  } finally {
    hung.stop();
    // Not by a reset: one that fails while the socket ends keeps Node from exiting (its handle is never closed).
    connection.destroy();
  }
}

async function exchange(connection: RawConnection, requests: readonly HostileRequest[]): Promise<Outcome> {
  const answers: { request: HostileRequest; answer: Answer }[] = [];
  void sendAll(connection, requests);
  for (const [index, request] of requests.entries()) {
    const answer = await answerTo(connection, request);
    if (answer === undefined) break;
    check(answer, request);
    answers.push({ request, answer });
    if (answer.headers['connection'] === 'close') break;
    if (request.framing !== 'whole' && index === requests.length - 1) connection.finish();
  }
  const last = answers.at(-1);
  const isOver = last === undefined || last.answer.headers['connection'] === 'close' || last.request.framing !== 'whole';
  if (isOver || answers.length < requests.length) {
    connection.finish();
    await connection.ended();
  }
  return { answers, unanswered: requests.length - answers.length };
}

function check(answer: Answer, request: HostileRequest): void {
  try {
    checkAnswer(answer, request.isProtected);
    // What is shed is not judged.
    if (answer.status !== 503) request.judge(answer);
  } catch (cause) {
    throw new Error(`${described(request)} was answered with ${JSON.stringify(answer)}`, { cause });
  }
}

function described({ kind, bytes }: HostileRequest): string {
  const text = bytes.toString('latin1');
  return `${kind} ${JSON.stringify(text.length > 1_000 ? `${text.slice(0, 500)} … ${text.slice(-300)}` : text)}`;
}

async function sendAll(connection: RawConnection, requests: readonly HostileRequest[]): Promise<void> {
  for (const { bytes, cuts } of requests) {
    const places = [0, ...cuts.map((cut) => Math.floor(cut * bytes.length)).sort((a, b) => a - b), bytes.length];
    for (const [index, place] of places.entries()) {
      const end = places[index + 1];
      if (end === undefined || end === place) continue;
      connection.send(bytes.subarray(place, end));
      if (end < bytes.length) await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

/** The final answer, without interim ones; undefined where the connection ended without one, which only a whole request rules out. */
async function answerTo(connection: RawConnection, request: HostileRequest): Promise<Answer | undefined> {
  const answer = finalAnswer(connection, request.method === 'HEAD');
  if (request.framing === 'whole') return answer;
  const patience = request.framing === 'unfinished' ? undefined : timer(PATIENCE_MILLISECONDS);
  const ended = answer.catch(() => undefined);
  await Promise.race([ended, patience?.passed]);
  patience?.stop();
  connection.finish();
  return ended;
}

async function finalAnswer(connection: RawConnection, toHead: boolean): Promise<Answer> {
  for (;;) {
    const answer = await connection.answer({ toHead });
    if (answer.status >= 200) return answer;
  }
}

function timer(milliseconds: number): { readonly passed: Promise<void>; stop(): void } {
  let handle: NodeJS.Timeout;
  const passed = new Promise<void>((resolve) => (handle = setTimeout(resolve, milliseconds)));
  return { passed, stop: () => clearTimeout(handle) };
}
