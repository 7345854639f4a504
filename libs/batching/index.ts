export { BatchLoader } from './batch-loader.js';
