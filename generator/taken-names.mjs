import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { existsSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Command } from 'commander';
import pluralize from 'pluralize';
import { formsOf } from './names.mjs';
import { Refusal } from './refusal.mjs';

/** Whether a module has this name. */
export function isFolder(root, name) {
  return existsSync(join(root, 'src', name));
}

/** @throws Refusal where the name, or its singular, is that of a folder of `src`; asks for no build. */
export function assertFoldersFree(root, names) {
  const folders = readdirSync(join(root, 'src'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  assertFree(
    names,
    folders.map(({ name }) => [name, `the folder src/${name}`]),
  );
}

/**
 * Asks the built service what it has.
 * @throws Refusal where the name, or its singular, is that of something there is
 */
export async function assertNamesFree(root, names) {
  const { commands, paths } = await whatIsServed(root).catch((error) => {
    throw new Refusal(`The service cannot be started: ${error.message}`, { cause: error });
  });
  const taken = [...commands.map((name) => [name, `the command "${name}"`]), ...paths.map((name) => [name, `the path of "${name}"`])];
  assertFree(names, taken);
  const described = await describedNames(root);
  for (const word of wordsOf(names)) {
    if (described.has(word)) throw new Refusal(`"${names.plural}" is taken: the documents have "${word}" already; take another name.`);
  }
}

function assertFree({ plural, singular }, taken) {
  for (const [name, what] of taken) {
    const forms = [name, pluralize.singular(name), pluralize.plural(name)];
    if (forms.includes(plural) || forms.includes(singular)) throw new Refusal(`"${plural}" is taken by ${what}: take another name.`);
  }
}

async function whatIsServed(root) {
  const built = (path) => import(pathToFileURL(join(root, 'dist', 'src', path)).href);
  const { createApp } = await built('bootstrap/create-app.js');
  const { loadServiceConfiguration } = await built('bootstrap/composition.js');
  const folder = await mkdtemp(join(tmpdir(), 'adoption-generator-'));
  try {
    const app = await createApp(loadServiceConfiguration({ DATABASE_URL: `sqlite:${join(folder, 'empty.sqlite')}`, LOG_LEVEL: 'silent' }));
    const templates = app.getHttpAdapter().routes.map(({ template }) => template.split('/').slice(1));
    await app.close();
    const paths = templates.flatMap(([first, second]) => (first === 'v1' ? [first, second] : [first]));
    return { commands: await commandNames(built), paths: [...new Set(paths)].filter(Boolean) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function commandNames(built) {
  const program = new Command();
  // Commands are only listed: nothing of the context is used but the scopes.
  for (const register of Object.values(await built('commands.js'))) register(program, { scopes: new Map() });
  return program.commands.map((command) => command.name());
}

/** The types and top fields of GraphQL and the schemas of REST. */
async function describedNames(root) {
  const graphql = await readFile(join(root, 'docs/reference/schema.graphql'), 'utf8');
  const { components } = JSON.parse(await readFile(join(root, 'docs/reference/openapi.json'), 'utf8'));
  const fields = /^type Query \{$(.*?)^\}$/ms.exec(graphql)?.[1] ?? '';
  return new Set([
    ...[...graphql.matchAll(/^(?:type|enum|scalar|input|interface|union) (\w+)/gm)].map(([, name]) => name),
    ...[...fields.matchAll(/^ {2}(\w+)(?=[(:])/gm)].map(([, name]) => name),
    ...Object.keys(components.schemas),
  ]);
}

/** What a module adds to those. */
function wordsOf({ plural, singular }) {
  const [many, one] = [formsOf(plural), formsOf(singular)];
  return [
    many.camel,
    one.camel,
    many.pascal,
    one.pascal,
    `New${one.pascal}`,
    `${one.pascal}Connection`,
    `${one.pascal}Edge`,
    `${one.pascal}Filter`,
  ];
}
