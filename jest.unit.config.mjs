import { project } from './jest.config.mjs';

// Needs neither a build nor a server.
/** @type {import('jest').Config} */
export default { ...project, testMatch: ['**/*.unit.spec.ts'] };
