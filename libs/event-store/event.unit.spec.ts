import { EventRegistry } from './event.js';

describe('the event registry', () => {
  const registry = new EventRegistry([
    { type: 'public', schemaVersion: 2, upcasters: { 1: (data: object) => ({ ...data, added: 1 }) } },
    { type: 'with-secrets', schemaVersion: 2, upcasters: { 1: (data: object) => data }, secrets: ['hash'] },
  ]);
  const shown = (type: string, schemaVersion: number, data: object) => registry.withoutSecrets({ type, schemaVersion, data });

  describe('shows of the data', () => {
    it('all but the secrets', () => {
      expect(shown('public', 2, { name: 'Rex' })).toEqual({ name: 'Rex' });
      expect(shown('with-secrets', 2, { name: 'Shop', hash: 'abc' })).toEqual({ name: 'Shop' });
    });

    it('nothing for a type that it does not know', () => {
      expect(shown('of-a-newer-build', 1, { salt: 'abc' })).toEqual({});
    });

    it('nothing for a newer schema version of a type with secrets, which may have others', () => {
      expect(shown('with-secrets', 3, { name: 'Shop', hash: 'abc', salt: 'def' })).toEqual({});
    });

    it('what a newer schema version has added to a type without secrets', () => {
      expect(shown('public', 3, { name: 'Rex', added: 1, chip: 2 })).toEqual({ name: 'Rex', added: 1, chip: 2 });
    });
  });

  describe('passes as it is', () => {
    it.each([
      ['an unknown type', 'of-a-newer-build', 1],
      ['a newer schema version', 'public', 3],
    ])('%s', (_, type, schemaVersion) => {
      expect(registry.upcast(type, schemaVersion, { a: 1 })).toEqual({ schemaVersion, data: { a: 1 } });
    });
  });

  it('brings an older schema version to the one it knows', () => {
    expect(registry.upcast('public', 1, { name: 'Rex' })).toEqual({ schemaVersion: 2, data: { name: 'Rex', added: 1 } });
  });
});
