import { codeSamples, sampleRequest } from './code-samples.js';

const ADDRESS = 'https://api.example/v1/things/{id}';
const id = { name: 'id', in: 'path', required: true, schema: { type: 'integer' } } as const;

describe('the samples of an operation', () => {
  it('quote what a shell, JavaScript and Python would read otherwise', () => {
    const body = JSON.stringify({ text: `it's "so" \\ $HOME` });
    const request = { method: 'POST', url: 'https://api.example/', headers: [['X-Own', "o'clock"]], needsKey: false, body } as const;
    const [curl, javaScript, python] = codeSamples(request, 'KEY').map(({ source }) => source);
    expect(curl).toContain(String.raw`--data-raw '{"text":"it'\''s \"so\" \\ $HOME"}'`);
    expect(curl).toContain(String.raw`-H 'X-Own: o'\''clock'`);
    expect(javaScript).toContain(String.raw`body: '{"text":"it\'s \\"so\\" \\\\ $HOME"}'`);
    expect(python).toContain(String.raw`data='{"text":"it\'s \\"so\\" \\\\ $HOME"}'.encode()`);
    expect(`${curl}${javaScript}${python}`).not.toContain('KEY');
  });

  it('have the key in a variable where the operation needs one', () => {
    const request = sampleRequest('get', ADDRESS, { security: [{ bearerAuth: [] }], parameters: [id], responses: {} });
    expect(request.url).toBe('https://api.example/v1/things/1');
    for (const { source } of codeSamples(request, 'THING_KEY')) expect(source).toMatch(/Bearer .*THING_KEY/);
  });

  it('have only required parts, with the values of examples', () => {
    const request = sampleRequest('put', ADDRESS, {
      parameters: [
        { ...id, example: 7 },
        { name: 'why', in: 'query', required: true, schema: { type: 'string', examples: ['so & so'] } as object },
        { name: 'order', in: 'query', required: true, schema: { type: 'string', enum: ['up', 'down'] } },
        { name: 'limit', in: 'query', required: false, schema: { type: 'integer' } },
        { name: 'X-Own', in: 'header', required: true, schema: { type: 'string' } },
      ],
      requestBody: { content: { 'application/json': { examples: { one: { value: { a: 1 } }, two: { value: {} } } } } },
      responses: {},
    });
    expect(request).toEqual({
      method: 'PUT',
      url: 'https://api.example/v1/things/7?why=so+%26+so&order=up',
      headers: [
        ['Content-Type', 'application/json'],
        ['X-Own', 'text'],
      ],
      needsKey: false,
      body: '{"a":1}',
    });
  });
});
