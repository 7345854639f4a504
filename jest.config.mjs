import { availableParallelism } from 'node:os';
import { missingServers, START_SERVERS } from './test/databases/servers.mjs';

const swc = {
  jsc: {
    target: 'es2023',
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
  },
  module: { type: 'es6' },
};

/** What every run has in common. Tests are compiled without a look at their types. */
const common = {
  globalSetup: '<rootDir>/test/cleanup/begin-run.mjs',
  globalTeardown: '<rootDir>/test/cleanup/end-run.mjs',
  setupFiles: ['<rootDir>/test/cleanup/seed.ts'],
  roots: ['<rootDir>/src', '<rootDir>/libs', '<rootDir>/test', '<rootDir>/generator'],
  modulePathIgnorePatterns: ['<rootDir>/dist/'],
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: {
    '^#libs/(.*)$': '<rootDir>/libs/$1/index.ts',
    '^(\\.{1,2}/.*)\\.js$': '$1',
    '^@nestjs/throttler$': '<rootDir>/node_modules/.cache/throttler-module.mjs',
  },
  transform: { '^.+\\.ts$': ['@swc/jest', swc] },
};

/** A name with these between its dots is of another project. */
const without = (...marks) => ['/node_modules/', ...marks.map((mark) => String.raw`\.${mark}\.`)];
const project = (displayName, testMatch, testPathIgnorePatterns = without()) => ({
  ...common,
  displayName,
  testMatch,
  testPathIgnorePatterns,
});
const onServers = (settings) => ({ ...settings, globals: { onServers: true } });

const AREAS = ['<rootDir>/test/areas/*.area.ts'];
const SPECS = ['**/*.(unit|int|e2e|arch).spec.ts'];
const E2E = ['<rootDir>/{test,src/*/test}/**/*.e2e.spec.ts', '**/*.servers.(int|e2e).spec.ts'];

/** On SQLite, with counters in the process. `areas` loads the service once for many specs; `specs` runs the same specs one by one. */
const embedded = [
  project('areas', AREAS),
  project('specs', SPECS, without('servers', 'slow', 'release')),
  project('slow', ['**/*.slow.?(sqlite.)(int|e2e).spec.ts']),
  project('release', ['**/*.release.?(sqlite.)(int|e2e).spec.ts']),
  project('reliability', ['**/*.reliability.spec.ts'], without('release')),
  project('release-reliability', ['**/*.release.reliability.spec.ts']),
  project('containers', ['**/*.containers.spec.ts']),
];

/** The end-to-end and contract suites a second time, on PostgreSQL and Redis, with what only makes sense there. */
const servers = [
  project('areas-servers', AREAS, without('sqlite')),
  project('specs-servers', E2E, without('sqlite', 'slow', 'release')),
  project('slow-servers', ['**/*.slow.?(servers.)e2e.spec.ts']),
  project('release-servers', ['**/*.release.?(servers.)e2e.spec.ts', '**/*.release.servers.int.spec.ts']),
].map(onServers);

/** Runs the projects on servers, where `--selectProjects` names one, if the servers are there. If not, it says so, and fails in CI. @returns {Promise<import('jest').Config>} */
export default async () => {
  const areAsked = process.argv.some((word) => servers.some(({ displayName }) => displayName === word));
  const missing = areAsked ? await missingServers() : [];
  if (missing.length > 0) {
    const what = `NOT RUN: the tests on PostgreSQL and Redis, because nothing answers at ${missing.join(' and ')}. To run them too:\n${START_SERVERS}`;
    if (process.env.CI) throw new Error(`${what}\nIn CI that is a failure.`);
    process.stderr.write(`\n${what}\n\n`);
  }
  return {
    projects: missing.length > 0 ? embedded : [...embedded, ...servers],
    // For what hangs: no test is about its own time, and some start programs that compile or engines that pull.
    testTimeout: 600_000,
    // Suites also wait, for servers and programs: a worker for each core leaves a sixth of two cores idle.
    maxWorkers: Math.ceil(1.5 * availableParallelism()),
    // A file leaves memory behind in its process.
    workerIdleMemoryLimit: '1GB',
  };
};
