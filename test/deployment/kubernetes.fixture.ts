import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import type { Deployment } from 'kubernetes-types/apps/v1.js';
import type { Job } from 'kubernetes-types/batch/v1.js';
import type { Container, PodTemplateSpec, Service } from 'kubernetes-types/core/v1.js';
import type { Ingress, NetworkPolicy } from 'kubernetes-types/networking/v1.js';
import type { PodDisruptionBudget } from 'kubernetes-types/policy/v1.js';
import ts from 'typescript';
import { parse } from 'yaml';

/** Any manifest, whose kind says what else it holds. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
}

/** A `kustomization.yaml` as far as those of this project go. */
export interface Kustomization {
  readonly resources: readonly string[];
  readonly labels?: readonly { readonly pairs: Readonly<Record<string, string>>; readonly includeSelectors?: boolean }[];
  readonly images?: readonly { readonly name: string; readonly newTag: string }[];
  readonly replicas?: readonly { readonly name: string; readonly count: number }[];
  readonly replacements?: readonly object[];
  readonly configMapGenerator: readonly { readonly name: string; readonly envs: readonly string[] }[];
}

const ROOT = 'deploy/kubernetes';
/** What the service is everywhere, and one installation of it. */
export const FOLDERS = [`${ROOT}/base`, `${ROOT}/overlays/production`] as const;
const [BASE, OVERLAY] = FOLDERS;
const KUSTOMIZATION = 'kustomization.yaml';

const readYaml = (folder: string, file: string): unknown => parse(readFileSync(join(folder, file), 'utf8')) as unknown;

export const readKustomization = (folder: string) => readYaml(folder, KUSTOMIZATION) as Kustomization;

/** The files of a folder beside its `kustomization.yaml`. */
export const filesBeside = (folder: string) => readdirSync(folder).filter((file) => file !== KUSTOMIZATION);

/** All manifests as they are written, by their files. */
export const manifests: ReadonlyMap<string, Manifest> = new Map(
  FOLDERS.flatMap((folder) =>
    filesBeside(folder)
      .filter((file) => file.endsWith('.yaml'))
      .map((file) => [join(folder, file), readYaml(folder, file) as Manifest]),
  ),
);

/** All that is written there, by its file. */
export const texts: ReadonlyMap<string, string> = new Map(
  FOLDERS.flatMap((folder) => readdirSync(folder).map((file) => [join(folder, file), readFileSync(join(folder, file), 'utf8')])),
);

export const base = readKustomization(BASE);
export const overlay = readKustomization(OVERLAY);
export const deployment = readYaml(BASE, 'deployment.yaml') as Deployment;
export const migration = readYaml(BASE, 'migration.yaml') as Job;
export const service = readYaml(BASE, 'service.yaml') as Service;
export const disruptionBudget = readYaml(BASE, 'disruption-budget.yaml') as PodDisruptionBudget;
export const networkPolicy = readYaml(BASE, 'network-policy.yaml') as NetworkPolicy;
export const ingress = readYaml(OVERLAY, 'ingress.yaml') as Ingress;

/** The ConfigMap of the installation: that of the base, with what the overlay sets. */
export const configuration: Readonly<Record<string, string>> = Object.assign(
  {},
  ...FOLDERS.flatMap((folder) =>
    readKustomization(folder).configMapGenerator.flatMap(({ envs }) =>
      envs.map((file) => parseEnv(readFileSync(join(folder, file), 'utf8'))),
    ),
  ),
) as Record<string, string>;

/** @throws Error where a workload does not have exactly one container. */
export function containerOf({ spec }: PodTemplateSpec): Container {
  const [container, ...others] = spec?.containers ?? [];
  if (!container || others.length > 0) throw new Error('A pod of this service has one container.');
  return container;
}

/** The variables that a container's manifest sets by itself. */
export function variablesOf(container: Container): Readonly<Record<string, string>> {
  return Object.fromEntries((container.env ?? []).map(({ name, value = '' }) => [name, value]));
}

/** The names of the Secrets whose keys a pod sees as files. */
export function secretsOf({ spec }: PodTemplateSpec): string[] {
  const named = (spec?.volumes ?? []).flatMap(({ secret, projected }) => [
    secret?.secretName,
    ...(projected?.sources ?? []).map((source) => source.secret?.name),
  ]);
  return named.filter((name) => name !== undefined);
}

/** Nothing is written there. */
const FILE = resolve('test/deployment/manifests.ts');

const OPTIONS: ts.CompilerOptions = {
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  types: [],
  lib: ['lib.es2023.d.ts'],
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
};

/**
 * What is wrong with manifests by the schemas of Kubernetes: kinds and members that do not exist, are missing or have another type.
 * The types of `kubernetes-types` are made from these schemas, and a literal of such a type may have no further member.
 */
export function mistakesIn(manifests: Iterable<Manifest>): string[] {
  const source = [...manifests].map(declarationOf).join('\n');
  const host = ts.createCompilerHost(OPTIONS);
  const getSourceFile = host.getSourceFile.bind(host);
  host.getSourceFile = (name, ...rest) =>
    resolve(name) === FILE ? ts.createSourceFile(name, source, ts.ScriptTarget.ES2023) : getSourceFile(name, ...rest);
  return ts
    .getPreEmitDiagnostics(ts.createProgram([FILE], OPTIONS, host))
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}

function declarationOf(manifest: Manifest, index: number): string {
  const [version = '', group = 'core'] = manifest.apiVersion.split('/').reverse();
  const kind = `Kind${index}`;
  return [
    `import type { ${manifest.kind} as ${kind} } from 'kubernetes-types/${group.split('.')[0] ?? ''}/${version}';`,
    `export const manifest${index}: ${kind} = ${JSON.stringify(manifest)};`,
  ].join('\n');
}
