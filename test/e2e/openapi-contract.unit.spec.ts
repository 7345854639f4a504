import { readFileSync } from 'node:fs';
import { OpenApiContract, type HeldAnswer } from './openapi-contract.fixture.js';
import type { OpenApiDocument } from './openapi-document.fixture.js';

const committed = readFileSync('docs/openapi.json', 'utf8');
const contract = new OpenApiContract(JSON.parse(committed) as OpenApiDocument);

const headers = {
  'content-type': 'application/json; charset=utf-8',
  'x-request-id': 'a',
  'cache-control': 'private, no-cache',
  'x-content-type-options': 'nosniff',
  'x-ratelimit-limit': '60',
  'x-ratelimit-remaining': '59',
  'x-ratelimit-reset': '1767225660',
  'ratelimit-policy': '"minute";q=60;w=60, "day";q=1000;w=86400',
  ratelimit: '"minute";r=59;t=42, "day";r=812;t=30511',
};
const page: HeldAnswer = {
  status: 200,
  headers: { ...headers, etag: '"pXyVb0aZ3rQ1mD8oK4uW9e"' },
  text: '[{"id":1,"name":"Rex","categoryId":7}]',
};
const noContent: HeldAnswer = { status: 204, headers: { ...headers, allow: 'GET, HEAD' }, text: '' };

function refusal(status: number, code: string, further: Readonly<Record<string, string>> = {}): HeldAnswer {
  return {
    status,
    headers: { ...headers, link: `</docs/errors#${code}>; rel="help"`, ...further },
    text: JSON.stringify({ code, message: 'No.', status }),
  };
}

const without = (answer: HeldAnswer, header: string): HeldAnswer => ({ ...answer, headers: { ...answer.headers, [header]: undefined } });
const withHeader = (answer: HeldAnswer, name: string, value: string): HeldAnswer => ({
  ...answer,
  headers: { ...answer.headers, [name]: value },
});
const notFound = refusal(404, 'not_found');
const notAllowed = refusal(405, 'method_not_allowed', { allow: 'GET, HEAD' });

describe('what answers are held against', () => {
  it.each<[method: string, target: string, answer: HeldAnswer]>([
    ['GET', '/v1/pets?limit=1', page],
    ['HEAD', '/v1/pets', { ...page, text: '' }],
    ['OPTIONS', '/v1/pets', noContent],
    ['GET', '/v1/unknown', notFound],
    ['GET', '/v1', notFound],
    ['HEAD', '/v1/unknown', { ...notFound, text: '' }],
    ['OPTIONS', '/v1/unknown', notFound],
    ['PUT', '/v1/pets', notAllowed],
    ['GET', '/v1/unknown', refusal(401, 'unauthorized', { 'www-authenticate': 'Bearer realm="adoption"' })],
    ['GET', '/v1/unknown', refusal(429, 'rate_limited', { 'retry-after': '5' })],
    ['GET', '/v10/anything', { status: 299, headers: {}, text: 'The document does not speak of it.' }],
    ['GET', '/docs', { status: 200, headers: {}, text: '<!doctype html>' }],
  ])('lets through %s %s', (method, target, answer) => {
    expect(() => contract.expectDocumented(method, target, answer)).not.toThrow();
  });

  it.each<[what: string, fault: RegExp, method: string, target: string, answer: HeldAnswer]>([
    ['a status that is not described', /does not describe/, 'GET', '/v1/pets', { ...page, status: 203 }],
    ['a success of an unknown path', /does not describe/, 'GET', '/v1/unknown', page],
    ['a success of an unknown path without a body', /does not describe/, 'HEAD', '/v1/unknown', { ...page, text: '' }],
    ['OPTIONS of an unknown path', /does not describe/, 'OPTIONS', '/v1/unknown', noContent],
    ['a success of an unknown method', /does not describe/, 'PUT', '/v1/pets', page],
    ['404 for an unknown method', /does not describe/, 'PUT', '/v1/pets', notFound],
    ['405 for an unknown path', /does not describe/, 'GET', '/v1/unknown', notAllowed],
    ['409 for an unknown path', /does not describe/, 'GET', '/v1/unknown', refusal(409, 'conflict')],
    ['405 without Allow', /lacks the header allow/, 'PUT', '/v1/pets', without(notAllowed, 'allow')],
    ['401 without a challenge', /lacks the header www-authenticate/, 'GET', '/v1/unknown', refusal(401, 'unauthorized')],
    ['429 that does not tell how long', /lacks the header retry-after/, 'GET', '/v1/pets', refusal(429, 'rate_limited')],
    ['an answer without a header of all', /lacks the header x-request-id/, 'GET', '/v1/unknown', without(notFound, 'x-request-id')],
    ['a header that is not described', /has the header x-new/, 'GET', '/v1/pets', withHeader(page, 'x-new', '1')],
    [
      'a header that is not described, of an unknown path',
      /has the header x-new/,
      'GET',
      '/v1/unknown',
      withHeader(notFound, 'x-new', '1'),
    ],
    ['another form of a header', /header cache-control is "public"/, 'GET', '/v1/pets', withHeader(page, 'cache-control', 'public')],
    [
      'a header that should be a number',
      /header x-ratelimit-limit is "many"/,
      'GET',
      '/v1/pets',
      withHeader(page, 'x-ratelimit-limit', 'many'),
    ],
    [
      'a further member of the body',
      /does not fit/,
      'GET',
      '/v1/pets',
      { ...page, text: '[{"id":1,"name":"Rex","categoryId":7,"age":3}]' },
    ],
    ['a code that is not described', /does not fit/, 'GET', '/v1/unknown', refusal(404, 'new_code')],
    [
      'another status in the body',
      /status 404 in its body/,
      'GET',
      '/v1/pets',
      { ...refusal(400, 'invalid_request'), text: notFound.text },
    ],
    ['another type of body', /type "text\/html"/, 'GET', '/v1/unknown', withHeader(notFound, 'content-type', 'text/html')],
    ['a body of HEAD', /has a body/, 'HEAD', '/v1/pets', page],
    ['a body of a 204', /has a body/, 'OPTIONS', '/v1/pets', { ...noContent, text: '{}' }],
  ])('refuses %s', (_, fault, method, target, answer) => {
    expect(() => contract.expectDocumented(method, target, answer)).toThrow(fault);
  });

  it.each<[what: string, take: (document: Record<string, Record<string, Record<string, never>>>) => void]>([
    ['an operation', ({ paths }) => delete paths?.['/pets']?.['get']],
    ['a path', ({ paths }) => delete paths?.['/pets']],
    [
      'a status',
      ({ paths }) => delete (paths?.['/pets']?.['get'] as { responses?: Record<string, unknown> } | undefined)?.responses?.['200'],
    ],
  ])('refuses what is served once %s is taken out of the document', (_, take) => {
    const document = JSON.parse(committed) as Record<string, Record<string, Record<string, never>>>;
    take(document);
    const poorer = new OpenApiContract(document as unknown as OpenApiDocument);
    expect(() => poorer.expectDocumented('GET', '/v1/pets', page)).toThrow(/does not describe/);
  });
});
