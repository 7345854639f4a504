import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createWorkingDirectory, runBuilt, type Finished } from './built-service.fixture.js';

/** The built command line in a working directory, and so with a database, of its own. */
export interface CommandLine {
  readonly folder: string;
  readonly databasePath: string;
  run(...words: string[]): Promise<Finished>;
  runWith(
    options: { readonly environment?: Record<string, string>; readonly input?: string | Buffer },
    ...words: string[]
  ): Promise<Finished>;
  /** Starts a command that is still running when this returns. */
  start(...words: string[]): ChildProcessWithoutNullStreams;
  /** Writes a file into the working directory. Returns its name. */
  file(name: string, content: string | Buffer): Promise<string>;
  remove(): Promise<void>;
}

export async function openCommandLine(): Promise<CommandLine> {
  const { path, remove } = await createWorkingDirectory();
  return {
    folder: path,
    databasePath: join(path, 'data', 'adoption.sqlite'),
    run: (...words) => runBuilt('cli', words, { cwd: path }),
    runWith: (options, ...words) => runBuilt('cli', words, { cwd: path, ...options }),
    start: (...words) =>
      spawn(process.execPath, [resolve('scripts/run-built.mjs'), 'cli', ...words], { cwd: path, env: { PATH: process.env['PATH'] ?? '' } }),
    async file(name, content) {
      await writeFile(join(path, name), content);
      return name;
    },
    remove,
  };
}

/** Resolves when what the stream has given matches. */
export async function said(stream: NodeJS.ReadableStream, pattern: RegExp): Promise<void> {
  for (let text = ''; !pattern.test(text);) text += String((await once(stream, 'data'))[0]);
}

/** NDJSON of animals named after their line. */
export function animals(count: number): string {
  return Array.from({ length: count }, (_, index) => `{"name":"animal ${index + 1}","categoryId":${index}}\n`).join('');
}

/** The lines of a text that ends each with a line break. */
export function linesOf(text: string): string[] {
  return text.split('\n').slice(0, -1);
}
