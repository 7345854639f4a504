import { codeSamples, sampleRequest } from './code-samples.js';

describe('the samples of an operation', () => {
  it('quote what a shell, JavaScript and Python would read otherwise', () => {
    const body = JSON.stringify({ text: `it's "so" \\ $HOME` });
    const request = { method: 'POST', url: 'https://api.example/', headers: [['X-Own', "o'clock"]], needsKey: false, body } as const;
    const [curl, javaScript, python] = codeSamples(request, 'KEY').map(({ source }) => source);
    expect(curl).toContain(String.raw`--data-raw '{"text":"it'\''s \"so\" \\ $HOME"}'`);
    expect(curl).toContain(String.raw`-H 'X-Own: o'\''clock'`);
    expect(javaScript).toContain(String.raw`body: '{"text":"it\'s \\"so\\" \\\\ $HOME"}'`);
    expect(python).toContain(String.raw`data='{"text":"it\'s \\"so\\" \\\\ $HOME"}'.encode()`);
  });

  it('have the key in a variable where the operation needs one', () => {
    const id = { name: 'id', in: 'path', required: true, schema: { type: 'integer' } } as const;
    const operation = { security: [{ bearerAuth: [] }], parameters: [id], responses: {} };
    const request = sampleRequest('get', 'https://api.example/v1/things/{id}', operation);
    expect(request.url).toBe('https://api.example/v1/things/1');
    for (const { source } of codeSamples(request, 'THING_KEY')) expect(source).toMatch(/Bearer .*THING_KEY/);
  });
});
