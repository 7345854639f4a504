import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { until } from '#libs/testing';
import { closeAtEnd } from '../cleanup/close-at-end.js';

export interface ReceivedMessage {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Milliseconds of `performance.now()`. */
  readonly at: number;
}

/** How a receiver answers; it may leave the answer open. */
export type AnswerMessage = (response: ServerResponse, message: ReceivedMessage, index: number) => void;

/** Someone who is sent events, on a port of this machine. */
export interface WebhookReceiver {
  readonly url: string;
  readonly messages: readonly ReceivedMessage[];
  /** The `type subject` of the messages, in the order in which they came. */
  told(): string[];
  received(count: number): Promise<readonly ReceivedMessage[]>;
  answer(with_: AnswerMessage): void;
  close(): Promise<void>;
}

export function status(code: number, headers: Readonly<Record<string, string>> = {}): AnswerMessage {
  return (response) => response.writeHead(code, headers).end();
}

/** On a port of this machine, at the address that others reach it by where it is not for those who run beside it. */
export async function startReceiver(answerWith: AnswerMessage = status(204), address = '127.0.0.1'): Promise<WebhookReceiver> {
  const messages: ReceivedMessage[] = [];
  let answering = answerWith;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const message = { headers: request.headers, body: Buffer.concat(chunks).toString(), at: performance.now() };
      messages.push(message);
      answering(response, message, messages.length - 1);
    });
  });
  server.listen(0, address);
  await once(server, 'listening');
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  };
  closeAtEnd(close);
  return {
    url: `http://${address}:${(server.address() as AddressInfo).port}/events`,
    messages,
    told: () =>
      messages.map(({ body }) => {
        const { type, subject } = JSON.parse(body) as { type: string; subject: string };
        return `${type} ${subject}`;
      }),
    async received(count) {
      await until(
        () => messages.length >= count,
        () => messages,
      );
      return messages;
    },
    answer: (with_) => (answering = with_),
    close,
  };
}
