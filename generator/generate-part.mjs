import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, changedDocuments } from './documents.mjs';
import { checkImperative, checkPastTense, formsOf } from './names.mjs';
import { Refusal } from './refusal.mjs';
import { assertWordsFree, formatted, renaming } from './template.mjs';

const TEMPLATES = 'generator/parts';
const TOKEN = 'blank-part';
const IMPORTS = /^(?:import .*;\n)+/;

const handlersOf = (plural) => ({
  plural,
  folder: plural,
  check: checkImperative,
  registry: /^[^/]+\.module\.ts$/,
  exported: ({ pascal }) => `${pascal}Handler`,
  spread: '',
});

/** What can be added to a module: the folder of its file, and the list that it is registered in. */
const PARTS = {
  command: { ...handlersOf('commands'), list: /(?<=^const commandHandlers = \[)([^\]]*)(?=\];$)/m },
  query: { ...handlersOf('queries'), list: /(?<=^const queryHandlers = \[)([^\]]*)(?=\];$)/m },
  event: {
    plural: 'events',
    folder: 'domain',
    check: checkPastTense,
    registry: /^domain\/[^/]+\.events\.ts$/,
    list: /(?<=^export const \w+ = \{)(.*?)(?=^\} as const satisfies EventDefinitions;$)/ms,
    exported: ({ camel }) => camel,
    spread: '...',
  },
};

export const partKinds = Object.keys(PARTS);

/**
 * Says what a command, a query or an event of a module would write: its file, and its place in the module's own list.
 * @returns the changes, for `writeChanges`
 * @throws Refusal for a name that is wrong or taken, and for a module that has no such list
 */
export async function partChanges(root, { kind, name, module }) {
  const { folder, check } = PARTS[kind];
  check(name);
  const sources = sourcesOf(root, { kind, module });
  assertNameFree(root, { kind, name, module });
  const registry = registryOf(root, { kind, module, sources });
  const rename = renaming([[TOKEN, name]]);
  const template = readFileSync(join(root, TEMPLATES, folder, `${TOKEN}.${kind}.ts`), 'utf8');
  assertWordsFree(rename, [template], [registry.before]);
  const path = `src/${module}/${folder}/${name}.${kind}.ts`;
  const changes = [
    { path, text: await formatted(root, path, rename(template)) },
    { ...registry, text: await formatted(root, registry.path, registered(registry.before, { kind, name })) },
  ];
  // Of what a module is made of, the documents tell of events alone.
  if (kind !== 'event') return changes;
  await build(root);
  const texts = changes.map((change) => [change.path, change.text]);
  return [...changes, ...(await changedDocuments(root, texts))];
}

/** The module's files, relative to its folder. */
function sourcesOf(root, { kind, module }) {
  if (module === undefined) throw new Refusal(`Say which module the ${kind} is for, such as --module shelters.`);
  const home = join(root, 'src', module);
  if (!/^[a-z0-9-]+$/.test(module) || !existsSync(join(home, 'index.ts'))) throw new Refusal(`There is no module src/${module}.`);
  return pathsBelow(home);
}

function registryOf(root, { kind, module, sources }) {
  const { plural, registry, list } = PARTS[kind];
  const found = sources.find((path) => registry.test(path));
  const path = `src/${module}/${found ?? ''}`;
  const before = found === undefined ? '' : readFileSync(join(root, path), 'utf8');
  if (list.test(before)) return { path, before };
  throw new Refusal(`src/${module} has no list of its ${plural}: write one as src/pets has it first.`);
}

function registered(text, { kind, name }) {
  const { folder, list, exported, spread } = PARTS[kind];
  const entry = exported(formsOf(name));
  const place = kind === 'event' ? '.' : `./${folder}`;
  const withImport = text.replace(IMPORTS, (imports) => `${imports}import { ${entry} } from '${place}/${name}.${kind}.js';\n`);
  return withImport.replace(list, (entries) => {
    const others = entries.trimEnd().replace(/,$/, '');
    return `${others}${others.trim() === '' ? '' : ', '}${spread}${entry}${entries.endsWith('\n') ? ',\n' : ''}`;
  });
}

/** A file's name is there once in a module, and what an event is called in the log once in all. */
function assertNameFree(root, { kind, name, module }) {
  const sources = pathsBelow(join(root, 'src'));
  const same = sources.find((path) => path.startsWith(`${module}/`) && path.endsWith(`/${name}.${kind}.ts`));
  const definition = new RegExp(`^\\s*(?:'${name}'|${name}): \\{\\s*schemaVersion:`, 'm');
  const isDefinedIn = (path) => /\.events?\.ts$/.test(path) && definition.test(readFileSync(join(root, 'src', path), 'utf8'));
  const other = same ?? (kind === 'event' ? sources.find(isDefinedIn) : undefined);
  if (other) throw new Refusal(`"${name}" is taken by src/${other}: take another name.`);
}

function pathsBelow(folder) {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => path.replaceAll('\\', '/'));
}
