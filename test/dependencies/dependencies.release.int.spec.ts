import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeTemporaryFolder } from '../cleanup/temporary-folder.js';

const PERMISSIVE = new Set(['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'BlueOak-1.0.0', 'ISC', 'MIT', 'Python-2.0']);

interface Material {
  readonly name: string;
  readonly licenses?: readonly { readonly expression?: string; readonly license?: { readonly id?: string } }[];
}

it('what production runs or shows has a permissive licence', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: { sbom: string } };
  const file = join(makeTemporaryFolder('materials'), 'sbom.cdx.json');
  execFileSync('sh', ['-c', scripts.sbom.replace('> sbom.cdx.json', `> ${file}`)]);
  const { components } = JSON.parse(readFileSync(file, 'utf8')) as { components: readonly Material[] };
  expect(components.map(({ name }) => name)).toEqual(expect.arrayContaining(['fastify', '@opentelemetry/core', 'graphiql']));
  expect(components.filter(({ licenses = [] }) => licenses.length === 0 || !licenses.every(isPermissive))).toEqual([]);
});

/** Of alternatives one is enough. */
function isPermissive({ expression, license }: NonNullable<Material['licenses']>[number]): boolean {
  const choices = (expression ?? license?.id ?? 'unknown').replaceAll(/[()]/g, '').split(' OR ');
  return choices.some((choice) => choice.split(' AND ').every((part) => PERMISSIVE.has(part)));
}
