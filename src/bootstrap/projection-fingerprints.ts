import type { Database } from '#libs/database';
import { fingerprintProjection, type Projection } from '#libs/event-sourcing';
import type { DomainModule } from '#libs/http';

/** The document of the versions of all projections, from the root of the project. */
export const FINGERPRINTS_PATH = 'docs/projections.json';

interface RecordedVersions {
  /** All event types that there were. */
  readonly eventTypes: readonly string[];
  readonly projections: Readonly<Record<string, { readonly version: number; readonly fingerprint: string }>>;
}

/** Projections have changed while their versions have not. */
export class VersionNotRaisedError extends Error {
  override readonly name = 'VersionNotRaisedError';
}

interface FingerprintOptions {
  /** An SQLite database. */
  readonly database: Database;
  /** The document as it is; undefined if there is none. */
  readonly recorded: string | undefined;
  /** The texts of source files by path, to find where a version is declared. */
  readonly sources: ReadonlyMap<string, string>;
}

/**
 * Renders the document of the projections: for each its version, and the fingerprint of its tables and rules.
 * @throws VersionNotRaisedError if a projection is recorded with the same version and another fingerprint, or with a higher version. Event
 * types that are not recorded are new: no table lacks any of their events.
 */
export async function renderProjectionFingerprints(
  modules: readonly Pick<DomainModule, 'events' | 'projections'>[],
  { database, recorded, sources }: FingerprintOptions,
): Promise<string> {
  const before = recorded === undefined ? undefined : (JSON.parse(recorded) as RecordedVersions);
  const definitions = Object.assign({}, ...modules.map(({ events }) => events)) as NonNullable<DomainModule['events']>;
  const projections = modules.flatMap((module) => module.projections ?? []).sort((one, other) => (one.name < other.name ? -1 : 1));
  const mistakes: string[] = [];
  const versions: [string, RecordedVersions['projections'][string]][] = [];
  for (const projection of projections) {
    const { name, version, eventTypes } = projection;
    const fingerprint = await fingerprintProjection(database, projection, { definitions, types: eventTypes });
    versions.push([name, { version, fingerprint }]);
    const earlier = before?.projections[name];
    if (earlier && version < earlier.version) mistakes.push(explainLowered(projection, earlier.version));
    if (!earlier || earlier.version !== version || earlier.fingerprint === fingerprint) continue;
    const types = eventTypes.filter((type) => before.eventTypes.includes(type));
    if ((await fingerprintProjection(database, projection, { definitions, types })) !== earlier.fingerprint) {
      mistakes.push(explainChange(projection, sources));
    }
  }
  if (mistakes.length > 0) throw new VersionNotRaisedError(mistakes.join('\n'));
  const document: RecordedVersions = { eventTypes: Object.keys(definitions).sort(), projections: Object.fromEntries(versions) };
  return JSON.stringify(document);
}

function explainLowered({ name, version }: Projection, recorded: number): string {
  return (
    `The projection ${name} is version ${version} but was version ${recorded}: its tables of version ${version} may exist with other rows. ` +
    `Take version ${recorded + 1}. If version ${recorded} was never released, remove its entry from ${FINGERPRINTS_PATH} instead.`
  );
}

function explainChange({ name, version }: Projection, sources: ReadonlyMap<string, string>): string {
  const declaration = new RegExp(`name: '${name}',\\s*version: ${version}\\b`);
  const [path = 'its declaration'] = [...sources].flatMap(([each, text]) => (declaration.test(text) ? [each] : []));
  return (
    `The columns, indexes or rows of the projection ${name} have changed but it is still version ${version}: raise \`version\` in ${path}, ` +
    `so that tables that exist are built again. If version ${version} was never released, remove its entry from ${FINGERPRINTS_PATH} instead.`
  );
}
