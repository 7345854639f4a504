import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

interface Attached {
  readonly aliases?: readonly string[];
}

/** A service as far as the compose file of this project goes. */
export interface ComposeService {
  readonly image: string;
  readonly build?: string;
  readonly entrypoint?: readonly string[];
  readonly command?: readonly string[];
  readonly profiles: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly secrets?: readonly { readonly source: string; readonly target: string }[];
  readonly networks: readonly string[] | Readonly<Record<string, Attached>>;
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: { readonly test?: readonly string[]; readonly disable?: boolean };
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly restart?: string;
  readonly stop_grace_period?: string;
  readonly deploy?: { readonly replicas: string };
}

export interface ComposeFile {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly networks: Readonly<Record<string, { readonly internal?: boolean }>>;
  readonly volumes: Readonly<Record<string, null>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
}

const INTERPOLATION = /\$\{([A-Z_]+)(?::-([^}]*))?\}/g;

export const composeText = readFileSync('docker-compose.yml', 'utf8');

/** The compose file where none of the variables it asks for is set. */
export function readCompose(): ComposeFile {
  return parse(
    composeText.replace(INTERPOLATION, (_, _name, value = '') => String(value)),
    { merge: true },
  ) as ComposeFile;
}

/** The variables that `docker compose` fills in, with their defaults. */
export function interpolations(): ReadonlyMap<string, string | undefined> {
  return new Map([...composeText.matchAll(INTERPOLATION)].map(([, name = '', value]) => [name, value]));
}

export function networksOf({ networks }: ComposeService): string[] {
  return Array.isArray(networks) ? (networks as string[]) : Object.keys(networks);
}
