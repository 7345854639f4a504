import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';

// Before Jest puts its own in its place.
const { exit } = process;

// Jest gives a worker half a second to end. To free what many files have left takes V8 longer, while nothing is left to run.
if (process.send) process.once('beforeExit', () => exit.call(process));

/**
 * Runs a test file among the globals of its process, as Node runs any program, instead of copies of them: what is loaded once can serve
 * one file after another (`shared-modules-runtime.mjs`), and `instanceof` means the same everywhere. What a file changes of the
 * environment variables, the working directory and the globals that Jest sets is put back behind it.
 */
export default class ProcessEnvironment {
  constructor({ projectConfig }) {
    this.global = globalThis;
    this.globals = projectConfig.globals;
    this.moduleMocker = new ModuleMocker(globalThis);
    this.fakeTimers = null;
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
  }

  async setup() {
    this.before = { variables: { ...process.env }, directory: process.cwd(), console: globalThis.console };
    Object.assign(globalThis, this.globals);
  }

  async teardown() {
    this.fakeTimersModern.dispose();
    this.moduleMocker.restoreAllMocks();
    for (const name of Object.keys(this.globals)) delete globalThis[name];
    const { variables, directory, console } = this.before;
    for (const name of Object.keys(process.env)) if (!(name in variables)) delete process.env[name];
    Object.assign(process.env, variables);
    if (process.cwd() !== directory) process.chdir(directory);
    Object.assign(process, { exit });
    Object.assign(globalThis, { console });
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }

  /** None of its own. */
  getVmContext() {
    return undefined;
  }
}
