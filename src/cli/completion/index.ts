export { addCompletion } from './completion-command.js';
