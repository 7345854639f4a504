import { createInterface } from 'node:readline';
import type { Abstract, INestApplicationContext, Type } from '@nestjs/common';
import type { Command, Query } from '@nestjs/cqrs';
import { type CliContext } from '#libs/cli';
import { printableLine } from '#libs/observability';
import type { OperationsCliContext, ServiceAccess } from '../../operations/index.js';
import type { CommandApplications } from './application.js';
import { ResultPrinter, type ResultStream, type StandardOutput } from './output.js';

const YES = /^\s*y(?:es)?\s*$/i;

/** What a command line reads from and writes to. */
export interface CliIo {
  /** Returns the environment variables; called when a command first needs them. */
  readonly loadEnvironment: () => Readonly<Record<string, string | undefined>>;
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly stdout: ResultStream;
  readonly stderr: NodeJS.WritableStream;
}

/** The context of one run of the command line. The application's code is loaded when it is first needed. */
export class ApplicationCliContext extends ResultPrinter implements OperationsCliContext {
  scopes: CliContext['scopes'] = new Map();
  exitCode = 0;
  private applications: CommandApplications | undefined;

  constructor(
    private readonly io: CliIo,
    output: StandardOutput,
  ) {
    super(output, io.stdout, io.loadEnvironment);
  }

  /** Called before a command acts. */
  async prepareOutput({ json }: { readonly json: boolean }): Promise<void> {
    const { stringifyJson } = await import('./application.js');
    this.stringify = stringifyJson;
    this.asksForJson = json;
  }

  /** Called before commands are registered whose help lists the scopes. */
  async loadScopes(): Promise<void> {
    const { composition } = await import('./application.js');
    this.scopes = composition().scopes;
  }

  async service(): Promise<ServiceAccess & CommandApplications> {
    const { CommandApplications: Applications } = await import('./application.js');
    return (this.applications ??= new Applications(this.io.loadEnvironment()));
  }

  async application(): Promise<INestApplicationContext> {
    return (await this.service()).openOwn();
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
    await this.applications?.close();
  }
}

/** Asks a person on standard error; any answer but `y` or `yes`, the end of input (Ctrl-D) and an interruption (Ctrl-C) are a no. */
function ask(question: string, { stdin, stderr }: Pick<CliIo, 'stdin' | 'stderr'>): Promise<boolean> {
  const dialogue = createInterface({ input: stdin, output: stderr, historySize: 0 });
  return new Promise((resolve) => {
    let answer: string | undefined;
    dialogue.on('SIGINT', () => {
      dialogue.close();
    });
    dialogue.on('close', () => {
      // The next text begins on a line of its own.
      if (answer === undefined) stderr.write('\n');
      resolve(answer !== undefined && YES.test(answer));
    });
    dialogue.question(`${question} [y/N] `, (line) => {
      answer = line;
      dialogue.close();
    });
  });
}
