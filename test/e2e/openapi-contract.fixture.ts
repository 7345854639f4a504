import { readFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { DescribedService, type DescribedResponse, type OpenApiDocument } from './openapi-document.fixture.js';

/** An answer as far as the document speaks of it. */
export interface HeldAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

const BELOW_PREFIX = /^\/v1(?=[/?#]|$)/;
/** What any HTTP message may have. */
const GENERAL_HEADERS = new Set(['connection', 'content-length', 'content-type', 'date', 'keep-alive', 'transfer-encoding']);
/** Of whoever lets other origins in; `Access-Control-Allow-Origin` is described. */
const CROSS_ORIGIN_HEADER = /^(?:vary|access-control-(?:expose-headers|allow-methods|allow-headers|max-age))$/;

/** The responses that any request may be refused with, by status, and that of all other statuses. */
const REFUSALS: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  429: 'TooManyRequests',
};
const OTHER_REFUSAL = 'OtherError';

export class OpenApiContract {
  private readonly service: DescribedService;

  constructor(document: OpenApiDocument) {
    this.service = new DescribedService(document);
  }

  /**
   * Checks an answer to a request below `/v1`; of other paths the document does not speak. The status is described for the operation,
   * every header that the description requires is there, none that it does not know, each has its form, and the body fits its schema.
   * A path or method that the document does not know is refused.
   * @throws Error that says what is not as described.
   */
  expectDocumented(method: string, target: string, answer: HeldAnswer): void {
    if (!BELOW_PREFIX.test(target)) return;
    const path = (target.split(/[?#]/)[0] ?? '').replace(BELOW_PREFIX, '');
    const where = `${method} ${path} ${answer.status}`;
    const described = this.described(method, path, answer.status);
    if (!described) {
      throw new Error(`${where}: the OpenAPI document does not describe this answer. ${answer.text}`);
    }
    this.expectHeaders(described, answer, where);
    const hasContent = Object.keys(described.content).length > 0 && method !== 'HEAD';
    if (hasContent) this.expectBody(described, answer, where);
    else if (answer.text !== '') throw new Error(`${where} has a body, which is not described.`);
  }

  /** Whether a value fits a schema, which may refer to those of the document. */
  fits(schema: object, value: unknown): boolean {
    return this.service.faultOf(schema, value) === undefined;
  }

  private described(method: string, path: string, status: number): DescribedResponse | undefined {
    const template = this.service.templateOf(path);
    const responses = template === undefined ? undefined : this.service.responsesOf(template, method === 'HEAD' ? 'GET' : method);
    if (responses) return status < 400 ? responses.get(String(status)) : this.refusal(responses, status);
    if (template !== undefined && method === 'OPTIONS' && status === 204) return this.describedMethods();
    return status < 400 ? undefined : this.service.sharedResponse(REFUSALS[status] ?? OTHER_REFUSAL);
  }

  /** A refusal may have the headers of a success too, such as those of a deprecation. */
  private refusal(responses: ReadonlyMap<string, DescribedResponse>, status: number): DescribedResponse | undefined {
    const refusal = responses.get(String(status)) ?? responses.get('default');
    const ofSuccess = [...responses].flatMap(([each, { headers }]) => (each.startsWith('2') ? [...headers] : []));
    const optional = ofSuccess.map(([name, header]) => [name, { ...header, required: false }] as const);
    return refusal && { ...refusal, headers: new Map([...optional, ...refusal.headers]) };
  }

  /** The response to OPTIONS, which the document describes in a sentence: the headers of every response and those that name methods. */
  private describedMethods(): DescribedResponse {
    const headers = new Map(this.service.sharedResponse(OTHER_REFUSAL).headers);
    headers.delete('link');
    return { headers, content: {} };
  }

  private expectHeaders({ headers }: DescribedResponse, answer: HeldAnswer, where: string): void {
    for (const [name, value] of Object.entries(answer.headers)) {
      if (value === undefined) continue;
      const header = headers.get(name);
      if (header) this.expectHeaderValue(header.schema, [value].flat().join(', '), `${where}, header ${name}`);
      else if (!GENERAL_HEADERS.has(name) && !CROSS_ORIGIN_HEADER.test(name)) {
        throw new Error(`${where} has the header ${name}, which is not described.`);
      }
    }
    for (const [name, { required }] of headers) {
      if (required && answer.headers[name] === undefined) throw new Error(`${where} lacks the header ${name}.`);
    }
  }

  private expectHeaderValue(schema: object = {}, value: string, where: string): void {
    const isNumber = 'type' in schema && schema.type === 'integer';
    const fault = this.service.faultOf(schema, isNumber && value !== '' ? Number(value) : value);
    if (fault !== undefined) throw new Error(`${where} is ${JSON.stringify(value)}: ${fault}.`);
  }

  private expectBody({ content }: DescribedResponse, { headers, status, text }: HeldAnswer, where: string): void {
    const mediaType = headers['content-type']?.split(';')[0] ?? '';
    const described = content[mediaType];
    if (!described) throw new Error(`${where} has a body of the type "${mediaType}", which is not described.`);
    if (!/[/+]json$/.test(mediaType)) return;
    const body = JSON.parse(text) as { readonly status?: unknown } | null;
    const fault = this.service.faultOf(described.schema, body);
    if (fault !== undefined) throw new Error(`${where} has a body that does not fit what npm run documents wrote: ${fault}. ${text}`);
    if (status >= 400 && body?.status !== status) throw new Error(`${where} has the status ${JSON.stringify(body?.status)} in its body.`);
  }
}

export function contractOf(root: string): OpenApiContract {
  return new OpenApiContract(JSON.parse(readFileSync(join(root, 'docs/reference/openapi.json'), 'utf8')) as OpenApiDocument);
}

const contract = contractOf('.');

/** Checks an answer against the committed document; see `OpenApiContract`. */
export function expectDocumented(method: string, target: string, answer: HeldAnswer): void {
  contract.expectDocumented(method, target, answer);
}

/** Whether a value fits a schema, which may refer to those of the committed document. */
export function fits(schema: object, value: unknown): boolean {
  return contract.fits(schema, value);
}

export function fitsSchema(name: string, value: unknown): boolean {
  return fits({ $ref: `#/components/schemas/${name}` }, value);
}
