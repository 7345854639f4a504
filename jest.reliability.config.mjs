import { project } from './jest.config.mjs';

// What takes minutes or breaks things on purpose, one file after another, so that none disturbs the figures of another.
/** @type {import('jest').Config} */
export default {
  ...project,
  roots: ['<rootDir>/test/reliability'],
  testMatch: ['**/*.reliability.spec.ts'],
  maxWorkers: 1,
  // For what hangs: no check is about how long its test takes.
  testTimeout: 600_000,
};
