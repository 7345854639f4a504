import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { closeAtEnd } from '../cleanup/close-at-end.js';

/** A request as it came. */
export interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  /** By the clock of the test. */
  readonly at: number;
}

/** What the server does with one request. */
export type Step = (response: ServerResponse, request: Received) => void;

/** A server that answers as a test says. */
export interface ScriptedServer {
  readonly origin: string;
  readonly received: readonly Received[];
  /** How many answers are not over. */
  readonly open: number;
}

/** Takes one step for each request, the last one for all that come after it. It ends with the test. */
export async function startScriptedServer(...steps: readonly [Step, ...Step[]]): Promise<ScriptedServer> {
  const received: Received[] = [];
  const open = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    open.add(response);
    response.on('close', () => open.delete(response));
    void bodyOf(request).then((body) => {
      const step = steps[Math.min(received.length, steps.length - 1)];
      const { method = '', url = '', headers } = request;
      const one: Received = { method, url, headers, body, at: Date.now() };
      received.push(one);
      step?.(response, one);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closeAtEnd(() => {
    server.close();
    server.closeAllConnections();
  });
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    get open() {
      return open.size;
    },
  };
}

/** The milliseconds between the requests. */
export function waitsBefore({ received }: ScriptedServer): number[] {
  return received.slice(1).map(({ at }, index) => at - (received[index]?.at ?? 0));
}

/** Answers with a body; an object is JSON, a text is sent as it is. */
export function answer(status: number, body: object | string = '', headers: Readonly<Record<string, string>> = {}): Step {
  return (response) => {
    const isText = typeof body === 'string';
    response.writeHead(status, { 'content-type': isText ? 'text/plain' : 'application/json', ...headers });
    response.end(isText ? body : JSON.stringify(body));
  };
}

/** Refuses as the service does. */
export function refuse(status: number, code: string, headers: Readonly<Record<string, string>> = {}): Step {
  return answer(status, { code, message: `It is ${code}.`, status }, { 'x-request-id': 'request-7', ...headers });
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) body += String(chunk);
  return body;
}
