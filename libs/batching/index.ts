export { backgroundTurn } from './background-turn.js';
export { BatchLoader } from './batch-loader.js';
