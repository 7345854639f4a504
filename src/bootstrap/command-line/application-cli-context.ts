import { createInterface } from 'node:readline';
import type { Abstract, INestApplicationContext, Type } from '@nestjs/common';
import type { Command, Query } from '@nestjs/cqrs';
import { detectStyle, generalView, Table, type Cells, type CliContext, type Terminal, type View } from '#libs/cli';
import { printableLine } from '#libs/observability';
import type { OperationsCliContext, ServiceAccess } from '../../operations/index.js';
import { namedActor, systemActor } from './actor.js';
import type { ResultStream, StandardOutput } from './standard-output.js';

const YES = /^\s*y(?:es)?\s*$/i;
const DEFAULT_COLUMNS = 80;
const NO_TERMINAL: Terminal = { columns: Number.POSITIVE_INFINITY, style: (_tone, text) => text };

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

  constructor(
    private readonly io: CliIo,
    private readonly output: StandardOutput,
  ) {}

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

  print<Value>(value: Value, view: View<Value> = generalView): void {
    const terminal = this.terminal();
    if (terminal) this.printLines(view(value, terminal));
    else this.printJson(value);
  }

  printText<Value>(value: Value, view: View<Value>): void {
    if (this.isJsonRequested) this.printJson(value);
    else this.printLines(view(value, this.terminal() ?? NO_TERMINAL));
  }

  printRows<Row>(toCells: (row: Row) => Cells): (page: readonly Row[]) => void {
    const terminal = this.terminal();
    let lines: Table | undefined;
    return (page) => {
      if (!terminal) {
        for (const row of page) this.printJson(row);
        return;
      }
      const rows = page.map(toCells);
      if (rows.length === 0) return;
      if (!lines) this.printLines([(lines = new Table(rows, terminal)).headings()]);
      for (const row of rows) this.printLines([lines.row(row)]);
    };
  }

  printJson(value: unknown): void {
    this.printLines([this.stringify(value)]);
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

  async close(): Promise<void> {
    await this.access?.close();
  }

  /** Returns the terminal that shows results; undefined if a program reads them. */
  private terminal(): Terminal | undefined {
    const { isTTY, columns } = this.io.stdout;
    if (isTTY !== true || this.isJsonRequested) return undefined;
    return { columns: columns || DEFAULT_COLUMNS, style: detectStyle(this.io.loadEnvironment()) };
  }

  private printLines(lines: readonly string[]): void {
    for (const line of lines) this.output.write(`${line}\n`);
  }
}

/** Asks on standard error. Anything but `y` or `yes` is a no, also the end of input (Ctrl-D) and an interruption (Ctrl-C). */
function ask(question: string, { stdin, stderr }: Pick<CliIo, 'stdin' | 'stderr'>): Promise<boolean> {
  const dialogue = createInterface({ input: stdin, output: stderr, historySize: 0 });
  return new Promise((resolve) => {
    let answer: string | undefined;
    dialogue.on('SIGINT', () => {
      dialogue.close();
    });
    dialogue.on('close', () => {
      // So that the next text begins on a new line.
      if (answer === undefined) stderr.write('\n');
      resolve(answer !== undefined && YES.test(answer));
    });
    dialogue.question(`${question} [y/N] `, (line) => {
      answer = line;
      dialogue.close();
    });
  });
}
