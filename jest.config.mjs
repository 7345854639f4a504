import { missingServers } from './test/databases/servers.mjs';

const swc = {
  jsc: {
    target: 'es2023',
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
  },
  module: { type: 'es6' },
};

/** What every run has in common. Tests are compiled without a look at their types. */
export const project = {
  globalSetup: '<rootDir>/test/cleanup/begin-run.mjs',
  globalTeardown: '<rootDir>/test/cleanup/end-run.mjs',
  roots: ['<rootDir>/src', '<rootDir>/libs', '<rootDir>/test', '<rootDir>/generator'],
  modulePathIgnorePatterns: ['<rootDir>/dist/'],
  testPathIgnorePatterns: ['/node_modules/'],
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: {
    '^#libs/(.*)$': '<rootDir>/libs/$1/index.ts',
    '^(\\.{1,2}/.*)\\.js$': '$1',
    '^@nestjs/throttler$': '<rootDir>/node_modules/.cache/throttler-module.mjs',
  },
  transform: { '^.+\\.ts$': ['@swc/jest', swc] },
};

const SERVERS_ONLY = String.raw`\.servers\.`;
const SQLITE_ONLY = String.raw`\.sqlite\.`;
const SLOW = String.raw`\.slow\.`;

const projectOf = (displayName, testMatch, ignored, onServers) => ({
  ...project,
  displayName,
  testMatch,
  testPathIgnorePatterns: [...project.testPathIgnorePatterns, ...ignored],
  ...(onServers && { globals: { onServers } }),
});

/** On SQLite, with counters in the process. Slow is what starts programs again and again, compiles, or drives a browser. */
const embedded = [
  projectOf('embedded', ['**/*.(unit|int|e2e|arch).spec.ts'], [SERVERS_ONLY, SLOW]),
  projectOf('slow', ['**/*.slow.?(sqlite.)(int|e2e).spec.ts'], []),
];

/** The end-to-end and contract suites a second time, on PostgreSQL and Redis, with what only makes sense there. */
const servers = [
  projectOf('servers', ['<rootDir>/{test,src/*/test}/**/*.e2e.spec.ts', '**/*.servers.(int|e2e).spec.ts'], [SQLITE_ONLY, SLOW], true),
  projectOf('slow-servers', ['**/*.slow.?(servers.)e2e.spec.ts'], [], true),
];

/** Runs the projects on servers if the servers are there. If not, it says so, and fails in CI. @returns {Promise<import('jest').Config>} */
export default async () => {
  const missing = await missingServers();
  if (missing.length > 0) {
    const what = `NOT RUN: the end-to-end and contract suites on PostgreSQL and Redis, because nothing answers at ${missing.join(' and ')}.`;
    if (process.env.CI) throw new Error(`${what} In CI that is a failure.`);
    process.stderr.write(`\n${what}\n\n`);
  }
  return {
    projects: missing.length > 0 ? embedded : [...embedded, ...servers],
    // For what hangs: no test is about its own time, and some start programs that compile.
    testTimeout: 300_000,
    // Suites wait for servers as long as they compute: one worker fewer than cores, Jest's own choice, takes half as long again on two cores.
    maxWorkers: '100%',
    // A file leaves memory behind in its process.
    workerIdleMemoryLimit: '1GB',
  };
};
