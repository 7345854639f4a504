import type { Command } from 'commander';
import { stringifyJson } from '#libs/api-kit';
import type { OperationsCliContext } from './operations-cli-context.js';
import { diagnose, type Diagnosis } from './diagnosis.js';

interface DoctorOptions {
  readonly full?: boolean;
  readonly json?: boolean;
}

/** Adds `doctor`, the one command whose result is for reading unless JSON is asked for. */
export function registerDoctor(program: Command, context: OperationsCliContext): void {
  program
    .command('doctor')
    .description('look at the configuration, the database and the versions, and say what to do next')
    .option('--full', 'also read the whole database and check the log and the projections')
    .option('--json', 'print the result as JSON')
    .action(async ({ full = false, json = false }: DoctorOptions) => {
      const diagnosis = await diagnose(context, { full });
      if (json) context.printJson(diagnosis);
      else for (const line of readableLines(diagnosis)) context.printLine(line);
      if (diagnosis.ok) return;
      context.note(`Found wrong: ${diagnosis.problems.join('; ')}`);
      context.fail();
    });
}

function readableLines({ versions, configuration, database, problems, next }: Diagnosis): string[] {
  return [
    ...section('Versions', Object.entries(versions)),
    ...section('Configuration', Object.entries(configuration ?? {})),
    ...section('Database', Object.entries(database ?? {})),
    ...section('Wrong', problems),
    ...section('Next', next),
  ];
}

function section(title: string, content: readonly (string | readonly [string, unknown])[]): string[] {
  if (content.length === 0) return [];
  return [title, ...content.map((entry) => `  ${typeof entry === 'string' ? entry : `${entry[0]}: ${readable(entry[1])}`}`)];
}

function readable(value: unknown): string {
  if (Array.isArray(value) && value.length === 0) return 'none';
  return typeof value === 'string' ? value : stringifyJson(value);
}
