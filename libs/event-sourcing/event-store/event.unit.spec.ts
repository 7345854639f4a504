import { EventRegistry } from './event.js';

describe('the event registry', () => {
  const registry = new EventRegistry([
    { type: 'public', schemaVersion: 2, upcasters: { 1: (data: object) => ({ ...data, added: 1 }) } },
    { type: 'with-secrets', schemaVersion: 2, upcasters: { 1: (data: object) => data }, secrets: ['hash'] },
  ]);

  it.each<[what: string, type: string, schemaVersion: number, data: object, shown: object]>([
    ['all', 'public', 2, { name: 'Rex' }, { name: 'Rex' }],
    ['all but the secrets', 'with-secrets', 2, { name: 'Shop', hash: 'abc' }, { name: 'Shop' }],
    ['nothing of an unknown type', 'of-a-newer-build', 1, { salt: 'abc' }, {}],
    ['nothing of a newer version of a type with secrets, which may have others', 'with-secrets', 3, { name: 'Shop', salt: 'def' }, {}],
    ['all of a newer version of a type without secrets', 'public', 3, { name: 'Rex', chip: 2 }, { name: 'Rex', chip: 2 }],
  ])('shows %s', (_what, type, schemaVersion, data, shown) => {
    expect(registry.withoutSecrets({ type, schemaVersion, data })).toEqual(shown);
  });

  it.each([
    ['keeps the data of an unknown type', 'of-a-newer-build', 1, { a: 1 }, 1, { a: 1 }],
    ['keeps the data of a newer schema version', 'public', 3, { a: 1 }, 3, { a: 1 }],
    ['upcasts an older schema version', 'public', 1, { name: 'Rex' }, 2, { name: 'Rex', added: 1 }],
  ])('%s', (_what, type, from, data, schemaVersion, upcast) => {
    expect(registry.upcast(type, from, data)).toEqual({ schemaVersion, data: upcast });
  });
});
