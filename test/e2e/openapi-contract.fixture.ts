import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Answer } from './api-client.fixture.js';

interface Described {
  readonly headers?: Readonly<Record<string, { readonly $ref?: string; readonly required?: boolean }>>;
  readonly content?: Readonly<Record<string, { readonly schema: object }>>;
  readonly $ref?: string;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly responses: Readonly<Record<string, Described>> }>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, object>>>>;
}

const document = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as Document;
const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema(document, 'openapi');

/** What any HTTP message may have. */
const GENERAL_HEADERS = new Set(['connection', 'content-length', 'content-type', 'date', 'keep-alive']);
const CROSS_ORIGIN_HEADER = /^(?:vary|access-control-.*)$/;

/**
 * Checks an answer against the committed OpenAPI document: its status is described for the operation, every header the
 * description requires is there and none that it does not know, and the body fits its schema. Answers to paths that the document
 * does not know must be an Error.
 */
export function expectDocumented(method: string, target: string, answer: Answer): void {
  const path = templateOf((target.split('?')[0] ?? '').replace(/^\/v1/, ''));
  const operation = document.paths[path]?.[method.toLowerCase()];
  if (!operation) {
    if (answer.status >= 400 && method !== 'HEAD') expectSchema('#/components/schemas/Error', answer.json());
    return;
  }
  const described = resolve(operation.responses[answer.status]);
  if (!described) throw new Error(`${method} ${path} answered ${answer.status}, which the OpenAPI document does not describe.`);
  expectHeaders(described, answer, `${method} ${path} ${answer.status}`);
  if (described.content) expectSchema(referenceOf(described), answer.json());
  else if (answer.text !== '') throw new Error(`${method} ${path} ${answer.status} has a body, which is not described.`);
}

/** The path of the document that a path of a request fits; where none does, the path itself. */
function templateOf(path: string): string {
  const templates = Object.keys(document.paths);
  if (templates.includes(path)) return path;
  return templates.find((template) => new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path)) ?? path;
}

function expectHeaders({ headers = {} }: Described, answer: Answer, where: string): void {
  const known = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  for (const name of Object.keys(answer.headers)) {
    if (known.has(name) || GENERAL_HEADERS.has(name) || CROSS_ORIGIN_HEADER.test(name)) continue;
    throw new Error(`${where} has the header ${name}, which is not described.`);
  }
  for (const [name, header] of Object.entries(headers)) {
    if (resolve(header)?.required && answer.headers[name.toLowerCase()] === undefined) {
      throw new Error(`${where} lacks the header ${name}.`);
    }
  }
}

function referenceOf({ content = {} }: Described): string | object {
  const schema = content['application/json']?.schema ?? {};
  return '$ref' in schema ? (schema.$ref as string) : schema;
}

/** Whether a value fits a schema of the document. */
export function fitsSchema(name: string, value: unknown): boolean {
  return ajv.validate(`openapi#/components/schemas/${name}`, value);
}

function expectSchema(schema: string | object, body: unknown): void {
  const validate = typeof schema === 'string' ? ajv.getSchema(`openapi${schema}`) : ajv.compile(rebased(schema));
  if (!validate) throw new Error(`The OpenAPI document has no schema ${JSON.stringify(schema)}.`);
  if (!validate(body)) throw new Error(`The body does not fit the OpenAPI document: ${ajv.errorsText(validate.errors)}`);
}

/** An inline schema whose references point into the whole document. */
function rebased(schema: object): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"openapi#/components')) as object;
}

function resolve<Part extends { readonly $ref?: string }>(part: Part | undefined): Part | undefined {
  if (!part?.$ref) return part;
  const [, , section = '', name = ''] = part.$ref.split('/');
  return document.components[section]?.[name] as Part | undefined;
}
