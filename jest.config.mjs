import { missingServers } from './test/databases/servers.mjs';

/** What every run has in common. */
export const project = {
  testEnvironment: 'node',
  globalSetup: '<rootDir>/test/cleanup/begin-run.mjs',
  globalTeardown: '<rootDir>/test/cleanup/end-run.mjs',
  roots: ['<rootDir>/src', '<rootDir>/libs', '<rootDir>/test', '<rootDir>/generator'],
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/test/architecture/fixtures/'],
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: {
    '^@nestjs/throttler$': '<rootDir>/test/commonjs/nest-throttler.mjs',
    '^#libs/(.*)$': '<rootDir>/libs/$1/index.ts',
    '^(\\.{1,2}/.*)\\.js$': '$1',
  },
  transform: { '^.+\\.ts$': ['ts-jest', { useESM: true, tsconfig: '<rootDir>/tsconfig.json' }] },
};

/** Everything, on SQLite and with counters in the process. */
const embedded = {
  ...project,
  displayName: 'embedded',
  testMatch: ['**/*.(unit|int|e2e|arch).spec.ts'],
  // What the template says of a running service holds once it is part of one.
  testPathIgnorePatterns: ['/node_modules/', String.raw`\.servers\.`, String.raw`/generator/template/.*\.e2e\.`],
};

/** The end-to-end and contract suites a second time, on PostgreSQL and Redis, with what only makes sense there. */
const servers = {
  ...project,
  displayName: 'servers',
  globals: { onServers: true },
  testMatch: ['<rootDir>/{test,src/*/test}/**/*.e2e.spec.ts', '<rootDir>/src/*/test/**/*.int.spec.ts', '**/*.servers.(int|e2e).spec.ts'],
  testPathIgnorePatterns: ['/node_modules/', String.raw`\.sqlite\.`],
};

/** @returns {Promise<import('jest').Config>} */
export default async function configuration() {
  const missing = await missingServers();
  if (missing.length > 0) {
    const what = `NOT RUN: the end-to-end and contract suites on PostgreSQL and Redis, because nothing answers at ${missing.join(' and ')}.`;
    if (process.env.CI) throw new Error(`${what} In CI that is a failure.`);
    process.stderr.write(`\n${what}\n\n`);
  }
  const projects = missing.length > 0 ? [embedded] : [embedded, servers];
  // Suites wait for servers as long as they compute: Jest's own choice, one worker fewer than cores, took half as long again on two cores.
  // What a finished file leaves in Node's module graph is never freed: a process that ran all of them would reach its heap's limit.
  // Long enough for a machine with other work: no test is about its own time.
  return { projects, testTimeout: 60_000, maxWorkers: '100%', workerIdleMemoryLimit: '1GB' };
}
