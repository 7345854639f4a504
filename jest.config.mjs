import { missingServers } from './test/databases/servers.mjs';

/** What every run has in common. */
export const project = {
  testEnvironment: '<rootDir>/test/runner/process-environment.mjs',
  runtime: '<rootDir>/test/runner/shared-modules-runtime.mjs',
  globalSetup: '<rootDir>/test/cleanup/begin-run.mjs',
  globalTeardown: '<rootDir>/test/cleanup/end-run.mjs',
  roots: ['<rootDir>/src', '<rootDir>/libs', '<rootDir>/test', '<rootDir>/generator'],
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/test/architecture/fixtures/'],
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: {
    '^#libs/(.*)$': '<rootDir>/libs/$1/index.ts',
    '^(\\.{1,2}/.*)\\.js$': '$1',
  },
  transform: { '^.+\\.ts$': ['ts-jest', { useESM: true, tsconfig: '<rootDir>/tsconfig.json' }] },
};

// What the template says of a running service holds once it is part of one.
const NOT_TESTED = ['/node_modules/', String.raw`/generator/template/.*\.e2e\.`];
const SLOW = String.raw`\.slow\.`;

/** Everything, on SQLite and with counters in the process. */
const embedded = {
  ...project,
  displayName: 'embedded',
  testMatch: ['**/*.(unit|int|e2e|arch).spec.ts'],
  testPathIgnorePatterns: [...NOT_TESTED, String.raw`\.servers\.`],
};

/** The end-to-end and contract suites a second time, on PostgreSQL and Redis, with what only makes sense there. */
const servers = {
  ...project,
  displayName: 'servers',
  globals: { onServers: true },
  testMatch: ['<rootDir>/{test,src/*/test}/**/*.e2e.spec.ts', '<rootDir>/src/*/test/**/*.int.spec.ts', '**/*.servers.(int|e2e).spec.ts'],
  testPathIgnorePatterns: [...NOT_TESTED, String.raw`\.sqlite\.`],
};

/** Runs the projects where their servers are. Without servers only what needs none is run, which is said, and is a failure in CI. */
async function configurationOf(onFiles, onServers) {
  const missing = await missingServers();
  if (missing.length > 0) {
    const what = `NOT RUN: the end-to-end and contract suites on PostgreSQL and Redis, because nothing answers at ${missing.join(' and ')}.`;
    if (process.env.CI) throw new Error(`${what} In CI that is a failure.`);
    process.stderr.write(`\n${what}\n\n`);
  }
  // Suites wait for servers as long as they compute: Jest's own choice, one worker fewer than cores, took half as long again on two cores.
  // Each file leaves something in its process: one that ran all of them would reach its heap's limit.
  // Long enough for a machine with other work: no test is about its own time.
  return {
    projects: missing.length > 0 ? [onFiles] : [onFiles, onServers],
    testTimeout: 60_000,
    maxWorkers: '100%',
    workerIdleMemoryLimit: '1GB',
  };
}

/** @returns {Promise<import('jest').Config>} */
export default () =>
  configurationOf(
    { ...embedded, testPathIgnorePatterns: [...embedded.testPathIgnorePatterns, SLOW] },
    { ...servers, testPathIgnorePatterns: [...servers.testPathIgnorePatterns, SLOW] },
  );

/** What starts programs again and again, compiles, or drives a browser. @returns {Promise<import('jest').Config>} */
export const slow = () =>
  configurationOf(
    { ...embedded, testMatch: ['**/*.slow.?(sqlite.)(int|e2e).spec.ts'] },
    { ...servers, testMatch: ['**/*.slow.?(servers.)e2e.spec.ts'] },
  );
