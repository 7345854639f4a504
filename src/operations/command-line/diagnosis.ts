import { describeLocation } from '#libs/database';
import { place, type Place } from '#libs/place';
import { ConfigurationError, describeNearVariable, type Configuration } from '../../config/index.js';
import type { OperationsCliContext } from './operations-cli-context.js';
import { diagnoseDatabase, type DatabaseDiagnosis, type Findings } from './database-diagnosis.js';
import { inspectInstallation } from './installation.js';
import { withoutSecrets } from './without-secrets.js';

/** What `doctor` found out. */
export interface Diagnosis extends Readonly<Findings> {
  readonly ok: boolean;
  readonly place: Place['name'];
  /** What may be a mistake, though nothing is wrong with it: one sentence each. */
  readonly warnings: readonly string[];
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
  if (findings.problems.length === 0 && findings.next.length === 0) findings.next.push(`Nothing is wrong. ${place.start} to serve.`);
  return {
    ok: findings.problems.length === 0,
    ...findings,
    warnings: context.nearVariables().map(describeNearVariable),
    place: place.name,
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
    next.push(`${place.putVariablesRight}.`);
    return undefined;
  }
}

function shown({ database, ...others }: Configuration): object {
  return withoutSecrets({ database: `${database.kind}:${describeLocation(database)}`, ...others });
}
