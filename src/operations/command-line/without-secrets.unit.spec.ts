import { withoutSecrets } from './without-secrets.js';

describe('withoutSecrets', () => {
  it('masks credentials in addresses and members named like secrets, at any depth', () => {
    const settings = {
      host: '127.0.0.1',
      port: 3000,
      database: 'postgres://user:p%40ss@db.example/adoption',
      stores: { urls: ['redis://:hidden@cache.example:6379/0'], adminPassword: 'hidden', none: null },
    };
    expect(withoutSecrets(settings)).toEqual({
      host: '127.0.0.1',
      port: 3000,
      database: 'postgres://***@db.example/adoption',
      stores: { urls: ['redis://***@cache.example:6379/0'], adminPassword: '***', none: null },
    });
  });
});
