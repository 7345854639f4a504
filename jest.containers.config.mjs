import { project } from './jest.config.mjs';

// What needs a container engine: test/deployment/containers/run-containers.mjs builds the image and starts these. One file after another, so that
// none takes the time of another.
/** @type {import('jest').Config} */
export default {
  ...project,
  roots: ['<rootDir>/test/deployment/containers'],
  testMatch: ['**/*.containers.spec.ts'],
  maxWorkers: 1,
  // For what hangs: no test is about how long it takes.
  testTimeout: 900_000,
};
