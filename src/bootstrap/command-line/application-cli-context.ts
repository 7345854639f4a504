import { hostname, userInfo } from 'node:os';
import { createInterface } from 'node:readline';
import type { WriteStream } from 'node:tty';
import type { Abstract, INestApplicationContext, Type } from '@nestjs/common';
import type { Command, Query } from '@nestjs/cqrs';
import { beginTable, generalView, UsageError, type Cells, type CliContext, type Table, type Terminal, type View } from '#libs/cli';
import { printableLine } from '#libs/observability';
import type { OperationsCliContext, ServiceAccess } from '../../operations/index.js';

const YES = /^\s*y(?:es)?\s*$/i;
const DEFAULT_COLUMNS = 80;
const LONGEST_ACTOR = 100;
/** Names by which events say that the service itself or an API key acted. */
const TAKEN_ACTORS = /^(?:system|cli|api-key-.*)$/;

/** A stream that may be a terminal. */
export type ResultStream = NodeJS.WritableStream & Partial<Pick<WriteStream, 'columns' | 'isTTY'>>;

/** The streams and the environment of a command line. */
export interface CliIo {
  /** Returns the environment variables; called when a command first needs them. */
  readonly loadEnvironment: () => Readonly<Record<string, string | undefined>>;
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly stdout: ResultStream;
  readonly stderr: NodeJS.WritableStream;
}

/** The context of one run of the command line. The application's code is loaded when it is first needed. */
export class ApplicationCliContext implements OperationsCliContext {
  scopes: CliContext['scopes'] = new Map();
  exitCode = 0;
  metadata: CliContext['metadata'] = { actor: systemActor() };
  private isJsonRequested = false;
  // Replaced before a command runs: the serializer that knows int64 is part of the application.
  private stringify: (value: unknown) => string = JSON.stringify;
  private access: ServiceAccess | undefined;
  private outputError: Error | undefined;

  constructor(private readonly io: CliIo) {
    io.stdout.on('error', (error: Error) => (this.outputError ??= error));
  }

  get stdin(): NodeJS.ReadableStream {
    return this.io.stdin;
  }

  /** Must be called before a command runs. */
  async prepare({ json, as }: { readonly json: boolean; readonly as: string | undefined }): Promise<void> {
    if (as !== undefined) this.metadata = { actor: namedActor(as) };
    const { stringifyJson } = await import('./application.js');
    this.stringify = stringifyJson;
    this.isJsonRequested = json;
  }

  /** Must be called before commands are registered whose help lists the scopes. */
  async loadScopes(): Promise<void> {
    const { composition } = await import('./application.js');
    this.scopes = composition().scopes;
  }

  async service(): Promise<ServiceAccess> {
    const { openServiceAccess } = await import('./application.js');
    return (this.access ??= openServiceAccess(this.io.loadEnvironment()));
  }

  async application(): Promise<INestApplicationContext> {
    return (await this.service()).application();
  }

  async get<Provider>(token: Type<Provider> | Abstract<Provider>): Promise<Provider> {
    return (await this.application()).get(token, { strict: false });
  }

  async execute<Result>(command: Command<Result>): Promise<Result> {
    const { CommandBus } = await import('./application.js');
    return (await this.get(CommandBus)).execute(command);
  }

  async query<Result>(query: Query<Result>): Promise<Result> {
    const { QueryBus } = await import('./application.js');
    return (await this.get(QueryBus)).execute(query);
  }

  print<Value>(value: Value, view: View<Value> = generalView as View<Value>): void {
    if (this.isForPeople()) this.printText(value, view);
    else this.printJson(value);
  }

  printText<Value>(value: Value, view: View<Value>): void {
    if (this.isJsonRequested) this.printJson(value);
    else this.printLines(view(value, this.terminal()));
  }

  printRows<Row>(toCells: (row: Row) => Cells): (page: readonly Row[]) => void {
    if (!this.isForPeople()) return (page) => this.printJson(...page);
    let table: Table | undefined;
    return (page) => {
      const rows = page.map(toCells);
      if (rows.length === 0) return;
      if (!table) this.printLines((table = beginTable(rows, this.terminal())).head);
      this.printLines(rows.flatMap(table.row));
    };
  }

  printJson(...values: readonly unknown[]): void {
    this.printLines(values.map((value) => this.stringify(value)));
  }

  note(text: string): void {
    this.io.stderr.write(`${printableLine(text)}\n`);
  }

  async confirm(question: () => Promise<string | undefined>): Promise<boolean> {
    const { stdin, stdout } = this.io;
    if (stdin.isTTY !== true || stdout.isTTY !== true) return true;
    const text = await question();
    return text === undefined || ask(text, this.io);
  }

  fail(): void {
    this.exitCode = 1;
  }

  /** Writes to standard output. @throws the error with which an earlier write has failed */
  write(text: string): void {
    if (this.outputError) throw this.outputError;
    this.io.stdout.write(text);
  }

  /** Closes the application and resolves when everything is written. @throws as `write` does */
  async close(): Promise<void> {
    await this.access?.close();
    await new Promise<void>((resolve) => this.io.stdout.write('', () => resolve()));
    if (this.outputError) throw this.outputError;
  }

  /** Whether the error says that the reader of standard output has gone away, as `head` does. */
  isClosedBy(error: unknown): boolean {
    return error instanceof Error && error === this.outputError && (error as NodeJS.ErrnoException).code === 'EPIPE';
  }

  private isForPeople(): boolean {
    return this.io.stdout.isTTY === true && !this.isJsonRequested;
  }

  private terminal(): Terminal {
    const { stdout } = this.io;
    return { stream: stdout, columns: stdout.isTTY === true ? stdout.columns || DEFAULT_COLUMNS : Number.MAX_SAFE_INTEGER };
  }

  private printLines(lines: readonly string[]): void {
    this.write(lines.map((line) => `${line}\n`).join(''));
  }
}

/** Asks on standard error. Anything but `y` or `yes` is a no, also the end of input (Ctrl-D). */
function ask(question: string, { stdin, stderr }: Pick<CliIo, 'stdin' | 'stderr'>): Promise<boolean> {
  stderr.write(`${question} [y/N] `);
  // Its iterator would keep the process waiting for more input.
  const dialogue = createInterface({ input: stdin });
  return new Promise((resolve) => {
    let answer: string | undefined;
    dialogue.once('line', (line) => {
      answer = line;
      dialogue.close();
    });
    dialogue.once('close', () => {
      // So that the next text begins on a new line.
      if (answer === undefined) stderr.write('\n');
      resolve(answer !== undefined && YES.test(answer));
    });
  });
}

/** Returns the user of the system and its host, such as `alice@shop-1`. */
export function systemActor(): string {
  return `${userName()}@${hostname()}`;
}

/** @throws UsageError for a name that is empty, too long or stands for somebody else */
function namedActor(name: string): string {
  const isText = name.trim() !== '' && name.length <= LONGEST_ACTOR && !/\p{Cc}/u.test(name);
  if (isText && !TAKEN_ACTORS.test(name)) return name;
  throw new UsageError(`--as must be a name of 1 to ${LONGEST_ACTOR} characters, but not system, cli or that of an API key.`);
}

/** In a container the user may have no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `user-${process.getuid?.() ?? 'unknown'}`;
  }
}
