import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import ts from 'typescript';
import { Refusal } from './refusal.mjs';

const execute = promisify(execFile);

/** What the application and its documents are made of; everything else that stands beside it afterwards is a document. */
const COPIED = ['package.json', '.editorconfig', 'dist', 'scripts', 'src'];
/** Documents that are made from their previous text. */
const CONTINUED = ['docs/reference/configuration.md', 'docs/reference/command-line.md', 'docs/reference/errors.md'];
/** What is made of one of the documents. */
const CLIENT_TYPES = 'packages/client/src/document.ts';
const MOST_OUTPUT_BYTES = 64 * 1024 * 1024;

/** Compiles the tree to `dist/`, without a check of types and without the bundle: documents need neither. */
export async function build(root) {
  const compile = ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json', '--noCheck'];
  for (const words of [compile, ['scripts/copy-assets.mjs'], ['scripts/build-guides.mjs']]) {
    await run(root, process.execPath, words, 'The tree cannot be compiled');
  }
}

/**
 * The generated documents that another text stands in once these sources are there, as changes. The tree, which is built, stays as it
 * is: they are made from a copy.
 * @param sources text by path
 * @throws Refusal with what is wrong with the sources
 */
export async function changedDocuments(root, sources) {
  const copy = await mkdtemp(join(tmpdir(), 'adoption-generator-'));
  try {
    for (const name of COPIED) await cp(join(root, name), join(copy, name), { recursive: true });
    await symlink(join(root, 'node_modules'), join(copy, 'node_modules'), 'junction');
    await mkdir(join(copy, 'docs/reference'), { recursive: true });
    for (const path of CONTINUED) await cp(join(root, path), join(copy, path));
    for (const [path, text] of sources) await compile(root, copy, path, text);
    await run(copy, process.execPath, ['scripts/write-documents.mjs'], 'The documents cannot be generated');
    await mkdir(join(copy, dirname(CLIENT_TYPES)), { recursive: true });
    const words = [join(root, 'scripts/write-client-types.mjs'), 'docs/reference/openapi.json', CLIENT_TYPES];
    await run(copy, process.execPath, words, 'The types of the client cannot be generated');
    const documents = (await documentsIn(copy)).map((path) => ({
      path,
      text: readFileSync(join(copy, path), 'utf8'),
      before: readFileSync(join(root, path), 'utf8'),
    }));
    return documents.filter(({ text, before }) => text !== before);
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

async function documentsIn(copy) {
  const atTop = (await readdir(copy, { withFileTypes: true })).filter((entry) => entry.isFile() && !COPIED.includes(entry.name));
  const inDocs = (await readdir(join(copy, 'docs'), { recursive: true })).filter((name) => name.includes('.'));
  return [...atTop.map(({ name }) => name), ...inDocs.map((name) => `docs/${name}`), CLIENT_TYPES].sort();
}

async function compile(root, copy, path, text) {
  const { options } = ts.parseJsonConfigFileContent(ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile).config, ts.sys, root);
  // A single file does not show that it belongs to a package of ES modules.
  const compilerOptions = { ...options, module: ts.ModuleKind.ES2022, moduleResolution: ts.ModuleResolutionKind.Bundler, sourceMap: false };
  const { outputText } = ts.transpileModule(text, { compilerOptions, fileName: path });
  await write(join(copy, path), text);
  await write(join(copy, 'dist', path.replace(/\.ts$/, '.js')), outputText);
}

async function write(file, text) {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}

async function run(cwd, program, words, failure) {
  try {
    await execute(program, words, { cwd, maxBuffer: MOST_OUTPUT_BYTES });
  } catch (error) {
    throw new Refusal(`${failure}: ${reasonIn(`${error.stderr}\n${error.stdout}`)}`, { cause: error });
  }
}

/** The line that says what is wrong: that of the error, else the first one. */
function reasonIn(output) {
  return /^\w*Error: .*$|^.*\berror TS\d+: .*$/m.exec(output)?.[0] ?? output.trim().split('\n')[0];
}
