// The process is killed when a key is in the log and its maker has not been told.
import { IssueApiKeyHandler } from '../../../dist/src/auth/commands/issue-api-key.command.js';
import { replaceMethod } from '../system/replace-method.mjs';

replaceMethod(
  IssueApiKeyHandler,
  'execute',
  (execute) =>
    async function (command) {
      await execute.call(this, command);
      process.kill(process.pid, 'SIGKILL');
    },
);
