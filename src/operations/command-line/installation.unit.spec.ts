import { inspectInstallation, satisfies } from './installation.js';

describe('satisfies', () => {
  const range = '^20.19.0 || ^22.13.0 || ^24.11.0';

  it.each(['20.19.0', '20.20.2', '22.13.1', '22.99.0', '24.11.0'])('takes %s', (version) => {
    expect(satisfies(version, range)).toBe(true);
  });

  it.each(['20.18.9', '21.5.0', '22.12.99', '23.0.0', '24.10.9', '25.0.0', '18.20.0'])('refuses %s', (version) => {
    expect(satisfies(version, range)).toBe(false);
  });
});

describe('inspectInstallation', () => {
  it('gives the versions of the service, of Node and of the main packages', () => {
    const { versions, problems } = inspectInstallation('20.19.5');
    expect(Object.keys(versions)).toEqual(['service', 'node', '@nestjs/core', 'fastify', 'typeorm', 'better-sqlite3']);
    for (const version of Object.values(versions)) expect(version).toMatch(/^\d+\.\d+\.\d+/);
    expect(problems).toEqual([]);
  });

  it('says which Node versions would be right', () => {
    expect(inspectInstallation('19.0.0').problems).toEqual([expect.stringContaining('^20.19.0, ^22.13.0, ^24.11.0')]);
  });
});
