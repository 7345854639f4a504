import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { installationFolder } from '#libs/place';

/** The packages whose versions matter most when something is looked for. */
const NAMED_PACKAGES = ['@nestjs/core', 'fastify', 'typeorm', 'better-sqlite3'];

interface Manifest {
  readonly version: string;
  readonly engines?: { readonly node?: string };
}

export interface Installation {
  /** Versions by name: `service`, `node` and the packages that matter most. */
  readonly versions: Readonly<Record<string, string>>;
  readonly problems: readonly string[];
}

/** What is installed and whether this Node version may run it. */
export function inspectInstallation(nodeVersion: string): Installation {
  const { version, engines } = readManifest(installationFolder);
  const range = engines?.node ?? '*';
  const packages = NAMED_PACKAGES.map((name) => [name, readManifest(join(installationFolder, 'node_modules', name)).version] as const);
  return {
    versions: { service: version, node: nodeVersion, ...Object.fromEntries(packages) },
    problems: satisfies(nodeVersion, range)
      ? []
      : [`Node ${nodeVersion} is not supported: install one of ${range.replaceAll(' ||', ',')}.`],
  };
}

/** Whether a version is in a range made of `^` parts such as `^20.19.0 || ^22.13.0`. */
export function satisfies(version: string, range: string): boolean {
  return range.split('||').some((part) => part.trim() === '*' || isCompatible(numbersOf(version), numbersOf(part)));
}

function isCompatible(version: readonly number[], least: readonly number[]): boolean {
  if (version[0] !== least[0]) return false;
  const differing = version.findIndex((number, index) => number !== least[index]);
  return differing < 0 || (version[differing] ?? 0) > (least[differing] ?? 0);
}

function numbersOf(version: string): number[] {
  return (version.match(/\d+/g) ?? []).slice(0, 3).map(Number);
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
}
