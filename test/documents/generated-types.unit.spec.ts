import { readFileSync } from 'node:fs';
import openapiTypeScript, { astToString } from 'openapi-typescript';
import { compileErrors } from './compile-errors.fixture.js';

interface Operation {
  readonly parameters: readonly { readonly name: string; readonly description: string; readonly schema: { readonly maxLength?: number } }[];
  readonly responses: Readonly<Record<string, object>>;
}

const text = readFileSync('docs/reference/openapi.json', 'utf8');
const { paths } = JSON.parse(text) as { paths: Record<string, Record<string, Operation>> };

/** What a generated client gives of `GET /events`, whatever media type it asked for. */
const USE = `
import type { components, paths } from './document';

type Content<Response extends { content: object }> = Response['content'][keyof Response['content']];
type Events = Content<paths['/events']['get']['responses'][200]>;
export const reused: Content<paths['/pets']['post']['responses'][422]> = { code: 'idempotency_key_reused', message: '', status: 422 };

export function tell(events: Events, received: components['schemas']['OrderPlacedEvent']): (string | number)[] {
  const told = events.map((event) => {
    if (event.type === 'pet.added') return event.data.name;
    // @ts-expect-error an order may be none of this event
    if (event.type === 'pet.withdrawn') return event.data.petId;
    return event.type === 'order.placed' ? event.data.petId : event.subject;
  });
  return [...told, received.data.petId];
}
`;

describe('the OpenAPI document', () => {
  it('makes types by which events are read without a cast', async () => {
    const types = astToString(await openapiTypeScript(text));
    expect(compileErrors({ 'document.ts': types, 'use.ts': USE })).toEqual([]);
  });

  it('says of each operation with an Idempotency-Key that it answers 422, and one length of the key', () => {
    const keyed = Object.values(paths)
      .flatMap((item) => Object.values(item))
      .flatMap(({ parameters, responses }) =>
        parameters.filter(({ name }) => name === 'Idempotency-Key').map(({ description, schema }) => ({ description, schema, responses })),
      );
    expect(keyed.length).toBeGreaterThan(3);
    for (const { description, schema, responses } of keyed) {
      expect(responses).toHaveProperty('422');
      expect(responses).toHaveProperty('default');
      expect(description).toContain(`1 to ${schema.maxLength} printable`);
    }
  });
});
