import { contractOf, type HeldAnswer } from './openapi-contract.fixture.js';

const contract = contractOf('.');

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

const withHeader = (answer: HeldAnswer, name: string, value: string | undefined): HeldAnswer => ({
  ...answer,
  headers: { ...answer.headers, [name]: value },
});
const notFound = refusal(404, 'not_found');
const notAllowed = refusal(405, 'method_not_allowed', { allow: 'GET, HEAD' });

describe('what responses are held against', () => {
  it.each<[method: string, target: string, answer: HeldAnswer]>([
    ['GET', '/v1/pets?limit=1', page],
    ['HEAD', '/v1/pets', { ...page, text: '' }],
    ['OPTIONS', '/v1/pets', noContent],
    ['GET', '/v1/unknown', notFound],
    ['PUT', '/v1/pets', notAllowed],
    ['GET', '/v10/anything', { status: 299, headers: {}, text: 'The document does not speak of it.' }],
  ])('lets through %s %s', (method, target, answer) => {
    expect(() => contract.expectDocumented(method, target, answer)).not.toThrow();
  });

  it.each<[fault: RegExp, method: string, target: string, answer: HeldAnswer]>([
    [/does not describe/, 'GET', '/v1/pets', { ...page, status: 203 }],
    [/does not describe/, 'GET', '/v1/unknown', page],
    [/does not describe/, 'PUT', '/v1/pets', page],
    [/lacks the header allow/, 'PUT', '/v1/pets', withHeader(notAllowed, 'allow', undefined)],
    [/has the header x-new/, 'GET', '/v1/pets', withHeader(page, 'x-new', '1')],
    [/header cache-control is "public"/, 'GET', '/v1/pets', withHeader(page, 'cache-control', 'public')],
    [/does not fit/, 'GET', '/v1/pets', { ...page, text: '[{"id":1,"name":"Rex","categoryId":7,"age":3}]' }],
    [/status 404 in its body/, 'GET', '/v1/pets', { ...refusal(400, 'invalid_request'), text: notFound.text }],
    [/type "text\/html"/, 'GET', '/v1/unknown', withHeader(notFound, 'content-type', 'text/html')],
    [/has a body/, 'HEAD', '/v1/pets', page],
  ])('refuses what is not described, by %s for %s %s', (fault, method, target, answer) => {
    expect(() => contract.expectDocumented(method, target, answer)).toThrow(fault);
  });
});
