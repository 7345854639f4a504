import { setSecretPattern } from '#libs/observability';
import { decodedPath, getRequestId, readRequestTarget } from './request-context.js';

describe('the id of a request', () => {
  beforeAll(() => setSecretPattern(/adopt_[A-Za-z0-9_%-]*/gi));

  it('is the one that the client gives', () => {
    expect(getRequestId({ headers: { 'x-request-id': 'shop-17.a' } })).toBe('shop-17.a');
  });

  it.each(['a.adopt_dev_0123456789', 'two words', 'a'.repeat(129), ''])('is a new one instead of %j', (given) => {
    expect(getRequestId({ headers: { 'x-request-id': given } })).toMatch(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  });
});

describe('a request target', () => {
  it.each([
    ['GET', '/v1/pets?limit=1', 'path', '/v1/pets?limit=1'],
    ['GET', '/%76%31/caf%C3%A9?q=%20+', 'path', '/%76%31/caf%C3%A9?q=%20+'],
    ['GET', 'http://shop.example/v1/pets', 'path', '/v1/pets'],
    ['GET', 'HTTPS://shop.example:8443', 'path', '/'],
    ['GET', 'http://shop.example?a=/v1/pets', 'path', '/?a=/v1/pets'],
    ['OPTIONS', '*', 'asterisk', '/'],
    ['GET', '*', 'malformed', '*'],
    ['GET', '*v1/pets', 'malformed', '*v1/pets'],
    ['GET', 'v1/pets', 'malformed', 'v1/pets'],
    ['GET', 'ftp://shop.example/v1', 'malformed', 'ftp://shop.example/v1'],
    ['GET', 'http:///v1/pets', 'malformed', 'http:///v1/pets'],
    ['GET', '/v1/pets#part', 'malformed', '/v1/pets#part'],
    ['GET', '/v1/%zz', 'malformed', '/v1/%zz'],
    ['GET', '/v1/%ff', 'malformed', '/v1/%ff'],
    ['GET', '/v1/pets?q=%4', 'malformed', '/v1/pets?q=%4'],
    ['GET', '/v1/\u00e9', 'malformed', '/v1/\u00e9'],
    ['GET', '', 'malformed', ''],
  ])('%s %s is of the form %s', (method, target, form, url) => {
    expect(readRequestTarget(method, target)).toEqual({ form, url });
  });

  it.each([
    ['/v1/pets?x', '/v1/pets'],
    ['/%76%31/%zz', '/v1/%zz'],
    ['http://shop.example/v1/%2e', '/v1/.'],
    ['/v1%2Fpets', '/v1%2Fpets'],
  ])('%s has the path %s', (target, path) => {
    expect(decodedPath(target)).toBe(path);
  });
});
