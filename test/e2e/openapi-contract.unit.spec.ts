import { contractOf, type HeldAnswer } from './openapi-contract.fixture.js';

const contract = contractOf('.');

const page: HeldAnswer = {
  status: 200,
  headers: {
    'content-type': 'application/json; charset=utf-8',
    'x-request-id': 'a',
    'cache-control': 'private, no-cache',
    'x-content-type-options': 'nosniff',
    'x-ratelimit-limit': '60',
    'x-ratelimit-remaining': '59',
    'x-ratelimit-reset': '1767225660',
    'ratelimit-policy': '"minute";q=60;w=60, "day";q=1000;w=86400',
    ratelimit: '"minute";r=59;t=42, "day";r=812;t=30511',
    etag: '"pXyVb0aZ3rQ1mD8oK4uW9e"',
  },
  text: '[{"id":1,"name":"Rex","categoryId":7}]',
};
const withHeader = (name: string, value: string | undefined): HeldAnswer => ({ ...page, headers: { ...page.headers, [name]: value } });

describe('what responses are held against', () => {
  it.each<[method: string, target: string, answer: HeldAnswer]>([
    ['GET', '/v1/pets?limit=1', page],
    ['HEAD', '/v1/pets', { ...page, text: '' }],
    ['GET', '/v10/anything', { status: 299, headers: {}, text: 'The document does not speak of it.' }],
  ])('lets through %s %s', (method, target, answer) => {
    expect(() => contract.expectDocumented(method, target, answer)).not.toThrow();
  });

  it.each<[fault: RegExp, method: string, target: string, answer: HeldAnswer]>([
    [/does not describe/, 'GET', '/v1/pets', { ...page, status: 203 }],
    [/does not describe/, 'GET', '/v1/unknown', page],
    [/lacks the header link/, 'GET', '/v1/pets', { ...page, status: 418 }],
    [/does not describe/, 'PUT', '/v1/pets', page],
    [/lacks the header etag/, 'GET', '/v1/pets', withHeader('etag', undefined)],
    [/has the header x-new/, 'GET', '/v1/pets', withHeader('x-new', '1')],
    [/header x-ratelimit-limit is "many"/, 'GET', '/v1/pets', withHeader('x-ratelimit-limit', 'many')],
    [/type "text\/html"/, 'GET', '/v1/pets', withHeader('content-type', 'text/html')],
    [/does not fit/, 'GET', '/v1/pets', { ...page, text: '[{"id":1,"name":"Rex","categoryId":7,"age":3}]' }],
    [/has a body/, 'HEAD', '/v1/pets', page],
  ])('refuses what is not described, by %s for %s %s', (fault, method, target, answer) => {
    expect(() => contract.expectDocumented(method, target, answer)).toThrow(fault);
  });
});
