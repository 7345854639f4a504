import type { CliIo } from './cli-io.js';

export { judgeUsage, type CataloguedCommand } from './catalogue/index.js';
export type { ResultStream } from './result-printer.js';
export type { CliIo };

/** `runCommandLine` of `run-command-line.ts`; the application is loaded when this is called, which takes longer than all the rest. */
export async function runCommandLine(words: readonly string[], io: CliIo): Promise<number> {
  const application = await import('./application.js');
  return application.runCommandLine(words, io);
}
