import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { codegen } from '@graphql-codegen/core';
import * as typescriptOperations from '@graphql-codegen/typescript-operations';
import { parse } from 'graphql';
import ts from 'typescript';
import { makeTemporaryFolder } from '../cleanup/temporary-folder.js';

/** What `codegen.ts` says, as far as types are made of it. */
export interface ClientConfiguration {
  readonly schema: string;
  readonly generates: Readonly<
    Record<
      string,
      {
        readonly plugins: readonly string[];
        readonly config: { readonly strictScalars?: boolean; readonly scalars: Readonly<Record<string, unknown>> };
      }
    >
  >;
}

const pluginMap = { 'typescript-operations': typescriptOperations };

/** The code blocks of a language in a text of Markdown, in their order. */
export function codeBlocks(markdown: string, language: string): string[] {
  return [...markdown.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'gm'))].map(([, block = '']) => block);
}

/** What a configuration written in TypeScript exports. */
export async function readConfiguration(source: string): Promise<ClientConfiguration> {
  const { outputText } = ts.transpileModule(source, { compilerOptions: { module: ts.ModuleKind.ESNext } });
  const file = join(makeTemporaryFolder('codegen'), 'codegen.mjs');
  writeFileSync(file, outputText);
  return ((await import(file)) as { default: ClientConfiguration }).default;
}

/** The file that the configuration has made of a schema and an operation. */
export function generateTypes(configuration: ClientConfiguration, schema: string, operation: string): Promise<string> {
  const [[filename, { plugins, config }] = ['', { plugins: [], config: { scalars: {} } }]] = Object.entries(configuration.generates);
  return codegen({
    filename,
    schema: parse(schema),
    documents: [{ location: 'operation.graphql', document: parse(operation) }],
    config,
    plugins: plugins.map((name) => ({ [name]: {} })),
    pluginMap,
  });
}

/** What the compiler finds wrong, in its strictest mode, with files that stand beside each other. */
export function compileFaults(files: Readonly<Record<string, string>>): string[] {
  const folder = makeTemporaryFolder('types');
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const program = ts.createProgram(
    Object.keys(files).map((name) => join(folder, name)),
    {
      strict: true,
      noUncheckedIndexedAccess: true,
      exactOptionalPropertyTypes: true,
      noEmit: true,
      module: ts.ModuleKind.NodeNext,
      target: ts.ScriptTarget.ES2023,
      types: [],
    },
  );
  return ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}
