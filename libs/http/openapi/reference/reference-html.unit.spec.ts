import { referenceHtml } from './reference-html.js';

const node = { type: 'object', properties: { text: { type: 'string', maxLength: 9 }, next: { $ref: '#/components/schemas/Node' } } };

function pageOf(further: object = {}, options = {}): string {
  const operation = {
    operationId: 'read',
    summary: '<b>bold</b>',
    description: 'Uses `code`, [a link](https://example.org/) and [no link](javascript:alert(1)).',
    responses: {
      200: { description: 'It.', content: { 'application/json': { schema: { $ref: '#/components/schemas/Node' } } } },
      404: { description: 'Not there.', content: { 'application/json': { examples: { not_found: {} } } } },
    },
    ...further,
  };
  const document = {
    openapi: '3.1.0',
    info: { title: 'Things', version: '1' },
    paths: { '/things': { get: operation } },
    components: { schemas: { Node: node } },
  };
  return referenceHtml(document, 'KEY', options);
}

describe('the reference page', () => {
  it('shows texts of the document as texts, with code and links in them', () => {
    const page = pageOf();
    expect(page).toContain('&lt;b&gt;bold&lt;/b&gt;');
    expect(page).toContain('Uses <code>code</code>, <a href="https://example.org/">a link</a> and [no link](javascript:alert(1)).');
  });

  it('ends at a schema that holds itself', () => {
    expect(pageOf().match(/>text</g)?.length).toBeLessThan(5);
  });

  it('groups what is refused, with its codes', () => {
    expect(pageOf()).toMatch(/<summary>1 errors?<\/summary>[^]*<code>not_found<\/code>/);
  });

  it('has a field for a key and forms only where it sends requests', () => {
    expect(pageOf()).not.toMatch(/<form|<input|<button/);
    expect(pageOf({}, { tryIt: { keyHelp: 'Ask `us`.' } })).toMatch(/<form[^]*Ask <code>us<\/code>\.[^]*<button class="send">/);
  });

  it('refuses a reference to what is not defined', () => {
    expect(() => pageOf({ responses: { 200: { $ref: '#/components/responses/Missing' } } })).toThrow('#/components/responses/Missing');
  });
});
