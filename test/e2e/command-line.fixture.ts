import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import type { ResultStream } from '../../src/bootstrap/command-line/application-cli-context.js';
import { runCommandLine } from '../../src/bootstrap/command-line/run-command-line.js';
import { createWorkingDirectory, launch, type Finished } from './built-service.fixture.js';

/** The command line on a database, and in a working directory, of its own. */
export interface CommandLine {
  readonly folder: string;
  /** The variables that name its database and counters. */
  readonly backend: Readonly<Record<string, string>>;
  /** Runs a command in this process. */
  run(...words: string[]): Promise<Finished>;
  /** Runs a command in this process with further environment variables. */
  runWith(environment: Readonly<Record<string, string>>, ...words: string[]): Promise<Finished>;
  /** Runs a command in this process, with something on standard input. */
  runOn(input: string, ...words: string[]): Promise<Finished>;
  /** Starts what is built; it is still running when this returns. */
  start(...words: string[]): ChildProcessWithoutNullStreams;
  /** Writes a file into the working directory. Returns its absolute path. */
  file(name: string, content: string | Buffer): Promise<string>;
  /** Adds that many animals, by import. */
  addAnimals(count: number): Promise<void>;
  remove(): Promise<void>;
}

export async function openCommandLine(): Promise<CommandLine> {
  const { path, backend, remove } = await createWorkingDirectory();
  const runWith: CommandLine['runWith'] = (environment, ...words) => runHere({ ...backend, ...environment }, words);
  const file = async (name: string, content: string | Buffer) => {
    await writeFile(join(path, name), content);
    return join(path, name);
  };
  return {
    folder: path,
    backend,
    run: (...words) => runWith({}, ...words),
    runWith,
    runOn: (input, ...words) => runHere(backend, words, {}, input),
    start: (...words) => launch('cli', words, { cwd: path }),
    file,
    async addAnimals(count) {
      const { code, stderr } = await runWith({}, 'pets', 'import', await file('added.ndjson', animals(count)));
      if (code !== 0) throw new Error(stderr);
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

class Collected extends Writable {
  private readonly chunks: Buffer[] = [];

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.chunks.push(chunk);
    done();
  }

  text(): string {
    return Buffer.concat(this.chunks).toString();
  }
}

/** Runs the command line in this process, on what is no terminal unless one is given. */
export async function runHere(
  environment: Readonly<Record<string, string>>,
  words: readonly string[],
  terminal: Pick<ResultStream, 'isTTY' | 'columns'> = {},
  input = '',
): Promise<Finished> {
  const stdout = Object.assign(new Collected(), terminal);
  const stderr = new Collected();
  const code = await runCommandLine(words, {
    loadEnvironment: () => environment,
    stdin: Readable.from([Buffer.from(input)]),
    stdout,
    stderr,
  });
  return { code, stdout: stdout.text(), stderr: stderr.text() };
}
