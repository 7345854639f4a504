import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from '#libs/testing';
import { closeAtEnd } from '../cleanup/close-at-end.js';

/** How a collector answers; it may leave the answer open. */
export type AnswerExport = (response: ServerResponse) => void;

/** A span as it was sent, its attributes and links made easy to look at. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly name: string;
  /** https://github.com/open-telemetry/opentelemetry-proto: 1 internal, 2 server, 3 client. */
  readonly kind: number;
  /** 0 unset, 2 error. */
  readonly status: number;
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly links: readonly string[];
}

/** Who is sent traces, on a port of this machine. */
export interface Collector {
  readonly endpoint: string;
  readonly requests: readonly { readonly url: string; readonly headers: IncomingHttpHeaders; readonly body: string }[];
  spans(): ReceivedSpan[];
  resource(): Readonly<Record<string, string | number>>;
  asked(count: number): Promise<void>;
  close(): Promise<void>;
}

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: number };
}

interface SentSpan extends Omit<ReceivedSpan, 'attributes' | 'links' | 'status'> {
  readonly attributes: readonly Attribute[];
  readonly links: readonly { readonly spanId: string }[];
  readonly status: { readonly code: number };
}

interface Export {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly SentSpan[] }[];
  }[];
}

const takeExport: AnswerExport = (response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{}');

export async function startCollector(answer: AnswerExport = takeExport): Promise<Collector> {
  const requests: { url: string; headers: IncomingHttpHeaders; body: string }[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      requests.push({ url: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks).toString() });
      answer(response);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  };
  closeAtEnd(close);
  const exports = () => requests.flatMap(({ body }) => (JSON.parse(body) as Export).resourceSpans);
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    spans: () => exports().flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans.map(received))),
    resource: () => valuesOf(exports()[0]?.resource.attributes ?? []),
    async asked(count) {
      await until(() => requests.length >= count);
    },
    close,
  };
}

function received({ attributes, links, status, ...span }: SentSpan): ReceivedSpan {
  return { ...span, status: status.code, attributes: valuesOf(attributes), links: links.map(({ spanId }) => spanId) };
}

function valuesOf(attributes: readonly Attribute[]): Record<string, string | number> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue ?? '']));
}
