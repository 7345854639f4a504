import { setTimeout as delay } from 'node:timers/promises';
import { LivenessError, until } from '#libs/testing';
import { RawConnection, type Answer } from '../../../libs/http/testing/raw-connection.js';
import type { HostileRequest } from './hostile-request.js';

/** Open at the same time: fewer than the service would shed. */
const CONNECTIONS = 24;
/** How long it is waited for an answer where the service may rightly wait for more bytes. */
const PATIENCE_MILLISECONDS = 250;
const HEALTH = 'GET /health/live HTTP/1.1\r\nHost: shop\r\n\r\n';

/** Sends requests on connections of their own, some at a time; `check` gets each final answer. */
export async function sendAll(
  port: number,
  requests: readonly HostileRequest[],
  check: (request: HostileRequest, answer: Answer) => void,
): Promise<void> {
  const waiting = requests.values();
  const talk = async (): Promise<void> => {
    for (const request of waiting) {
      await converse(port, request, check).catch((cause: unknown) => {
        if (cause instanceof LivenessError) throw cause;
        throw new Error(`${request.name}: ${shown(request.bytes.toString('latin1'))}`, { cause });
      });
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, talk));
}

/** Sends a request in two pieces. Where it is whole, the service has to answer it, and another one behind it or close the connection. */
async function converse(port: number, request: HostileRequest, check: (request: HostileRequest, answer: Answer) => void): Promise<void> {
  const { bytes, isWhole, method } = request;
  const connection = new RawConnection(port);
  try {
    const middle = Math.floor(bytes.length / 2);
    connection.send(bytes.subarray(0, middle));
    await new Promise((resolve) => setImmediate(resolve));
    connection.send(bytes.subarray(middle));
    if (isWhole) connection.send(HEALTH);
    else void delay(PATIENCE_MILLISECONDS).then(() => connection.finish());
    const answer = await finalAnswer(connection, request.name, method === 'HEAD');
    if (answer) {
      try {
        check(request, answer);
      } catch (cause) {
        throw new Error(`was answered with ${shown(JSON.stringify(answer))}`, { cause });
      }
    }
    if (!isWhole) return;
    expect(answer).toBeDefined();
    if (answer?.headers['connection'] !== 'close') {
      expect((await finalAnswer(connection, `a request behind ${request.name}`))?.status).toBe(200);
    }
  } finally {
    connection.destroy();
  }
}

/** The next answer that is no interim one; undefined where the connection ended without. */
async function finalAnswer(connection: RawConnection, name: string, toHead = false): Promise<Answer | undefined> {
  let seen: { readonly answer?: Answer } | undefined;
  const read = async (): Promise<void> => {
    for (let answer = await connection.answer({ toHead }); ; answer = await connection.answer({ toHead })) {
      if (answer.status < 200) continue;
      seen = { answer };
      return;
    }
  };
  read().catch(() => (seen = {}));
  await until(
    () => seen,
    () => `no answer to ${name}, after ${shown(connection.unread)}`,
  );
  return seen?.answer;
}

function shown(text: string): string {
  return JSON.stringify(text.length > 1_000 ? `${text.slice(0, 500)} … ${text.slice(-300)}` : text);
}
