import { expectDocumented } from './openapi-contract.fixture.js';

/** `fetch`, whose answer is held against the OpenAPI document, read to its end. */
export async function fetchDocumented(url: string, init: RequestInit = {}): Promise<Response> {
  const answer = await fetch(url, init);
  const { status, headers } = answer;
  const text = await answer.clone().text();
  expectDocumented(init.method ?? 'GET', new URL(url).pathname, { status, headers: Object.fromEntries(headers), text });
  return answer;
}

/** Holds what came back on a connection for the request that was sent first, unless that is interim, against the OpenAPI document. */
export function expectRawDocumented(sent: string | Buffer, received: string): void {
  const [method = '', target = ''] = sent.toString('latin1').split(/[ \r]/, 2);
  const [, status = '', lines = '', rest = ''] = /^HTTP\/1\.1 ([2-5]\d\d) [^\r]*\r\n((?:[^\r]+\r\n)*)\r\n(.*)$/s.exec(received) ?? [];
  if (status === '') return;
  const headers: Readonly<Record<string, string>> = Object.fromEntries(
    [...lines.matchAll(/([^:]+):[ \t]*(.*)\r\n/g)].map(([, name = '', value = '']) => [name.toLowerCase(), value]),
  );
  const text = method === 'HEAD' ? '' : rest.slice(0, Number(headers['content-length'] ?? 0));
  expectDocumented(method, target, { status: Number(status), headers, text: Buffer.from(text, 'latin1').toString('utf8') });
}
