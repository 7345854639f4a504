import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** Runs a program to its end. Rejects with all that it printed when it fails. */
export async function run(command, parameters, { cwd, env } = {}) {
  try {
    return await execute(command, parameters, { cwd, env: { ...process.env, ...env }, maxBuffer: 64 * 1024 * 1024 });
  } catch (error) {
    throw new Error(`${command} ${parameters.join(' ')} failed:\n${error.stdout}\n${error.stderr}`, { cause: error });
  }
}
