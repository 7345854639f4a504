import { describeLocation } from '#libs/database';
import { ConfigurationError, type Configuration } from '../../config/index.js';
import type { OperationsCliContext } from './operations-cli-context.js';
import { diagnoseDatabase, type DatabaseDiagnosis, type Findings } from './database-diagnosis.js';
import { inspectInstallation } from './installation.js';
import { withoutSecrets } from './without-secrets.js';

/** What `doctor` found out. */
export interface Diagnosis extends Readonly<Findings> {
  readonly ok: boolean;
  readonly versions: Readonly<Record<string, string>>;
  /** undefined when it has mistakes. */
  readonly configuration?: object;
  readonly database?: DatabaseDiagnosis;
}

/** Looks at everything the service needs without creating a database. `full` also reads the whole database. */
export async function diagnose(context: OperationsCliContext, { full }: { readonly full: boolean }): Promise<Diagnosis> {
  const { versions, problems } = inspectInstallation(process.versions.node);
  const findings: Findings = { problems: [...problems], next: [] };
  const configuration = readConfiguration(context, findings);
  const database = configuration && (await diagnoseDatabase(context, { full, findings }));
  if (findings.problems.length === 0 && findings.next.length === 0) findings.next.push('Nothing is wrong: "npm start" serves it.');
  return {
    ok: findings.problems.length === 0,
    ...findings,
    versions,
    ...(configuration && { configuration: shown(configuration) }),
    ...(database && { database }),
  };
}

function readConfiguration(context: OperationsCliContext, { problems, next }: Findings): Configuration | undefined {
  try {
    return context.configuration();
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    problems.push(...error.problems);
    next.push('Put the variables right; .env.example lists them all.');
    return undefined;
  }
}

function shown({ database, ...others }: Configuration): object {
  return withoutSecrets({ database: `${database.kind}:${describeLocation(database)}`, ...others });
}
