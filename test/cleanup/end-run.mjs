// Jest's global teardown.
export { sweep as default } from './begin-run.mjs';
