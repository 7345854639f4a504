import type { Command } from 'commander';
import { bytes, fields, generalView, printableLine, type Terminal, type View } from '#libs/cli-kit';
import type { DatabaseDiagnosis } from './database-diagnosis.js';
import type { OperationsCliContext } from './operations-cli-context.js';
import { withUnits } from './configuration-units.js';
import { describeHistory } from './log-verification.js';
import { diagnose, type Diagnosis } from './diagnosis.js';

interface DoctorOptions {
  readonly full?: boolean;
}

/** Adds `doctor`, the one command whose result is for reading unless JSON is asked for. */
export function registerDoctor(program: Command, context: OperationsCliContext): void {
  program
    .command('doctor')
    .description('look at the configuration, the database and the versions, and say what to do next')
    .option('--full', 'also read the whole database and check the log and the projections')
    .action(async ({ full = false }: DoctorOptions) => {
      const diagnosis = await diagnose(context, { full });
      context.printText(diagnosis, diagnosisLines);
      if (diagnosis.ok) return;
      context.note(`Found wrong: ${diagnosis.problems.join('; ')}`);
      context.fail();
    });
}

const diagnosisLines: View<Diagnosis> = ({ place, versions, configuration, database, problems, warnings, next }, terminal) => [
  ...section('Installation', fields(() => ({ place, ...versions }))(versions, terminal), terminal),
  ...section('Configuration', generalView(withUnits(configuration ?? {}), terminal), terminal),
  ...section('Database', database ? databaseFields(database, terminal) : [], terminal),
  ...section('Wrong', problems.map(printableLine), terminal),
  ...section('Warnings', warnings.map(printableLine), terminal),
  ...section('Next', next.map(printableLine), terminal),
];

const databaseFields = fields<DatabaseDiagnosis>((diagnosis) => {
  const { exists, bytes: size, pendingMigrations, unknownMigrations, events, apiKeys, histories = [], clockSkewSeconds } = diagnosis;
  return {
    exists,
    size: size === undefined ? undefined : bytes(size),
    'pending migrations': pendingMigrations.join(', ') || 'none',
    'unknown migrations': unknownMigrations.join(', ') || 'none',
    'seconds this clock is ahead': clockSkewSeconds,
    events,
    'API keys': apiKeys,
    ...Object.fromEntries(histories.map((history, index) => [`history ${index + 2} of the log`, describeHistory(history)])),
  };
});

function section(title: string, lines: readonly string[], { style }: Terminal): string[] {
  return lines.length === 0 ? [] : [style('strong', title), ...lines.map((line) => `  ${line}`)];
}
