import { resolve } from 'node:path';
import ts from 'typescript';
import type { Manifest } from './kubernetes.fixture.js';

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
