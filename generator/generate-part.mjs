import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, changedDocuments } from './documents.mjs';
import { checkImperative, checkPastTense, formsOf } from './names.mjs';
import { Refusal } from './refusal.mjs';
import { assertWordsFree, formatted, renaming } from './source-text.mjs';

const TEMPLATES = 'generator/parts';
const TOKEN = 'blank-part';
const EVENT_TOKEN = 'blank-event';
const IMPORTS = /^(?:import .*;\n)+/;
const QUERY_LIST = /^const queryHandlers = \[[^\]]*\];\n/m;

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
  follower: { ...handlersOf('followers'), exported: ({ pascal }) => pascal, list: /(?<=^const followers = \[)([^\]]*)(?=\];$)/m },
};

/**
 * Says what a part of a module would write: its file, and its place in the module's own list.
 * @param options `event`: the type that a follower is called with
 * @returns the changes, for `writeChanges`
 * @throws Refusal for a name that is wrong or taken, and for a module that has no such list
 */
export async function partChanges(root, { kind, name, module, event }) {
  const { folder, check } = PARTS[kind];
  check(name);
  const sources = pathsBelow(join(root, 'src', module));
  assertNameFree(root, { kind, name, module });
  const registry = registryOf(root, { kind, module, sources });
  const rename = renaming([[TOKEN, name]]);
  const template = readFileSync(join(root, TEMPLATES, folder, `${TOKEN}.${kind}.ts`), 'utf8');
  assertWordsFree(rename, [template], [registry.before]);
  const path = `src/${module}/${folder}/${name}.${kind}.ts`;
  const followed = kind === 'follower' ? followedEvent(root, { event, module }) : undefined;
  const text = followed ? followed.typed(rename(template)) : rename(template);
  const changes = [
    { path, text: await formatted(root, path, text) },
    { ...registry, text: await formatted(root, registry.path, registered(registry.before, { kind, name })) },
    ...(followed?.changes ?? []),
  ];
  // The documents list each event, with its emitters and handlers.
  if (kind !== 'event' && kind !== 'follower') return changes;
  await build(root);
  const texts = changes.map((change) => [change.path, change.text]);
  return [...changes, ...(await changedDocuments(root, texts))];
}

function registryOf(root, { kind, module, sources }) {
  const { plural, registry, list } = PARTS[kind];
  const found = sources.find((path) => registry.test(path));
  const path = `src/${module}/${found ?? ''}`;
  const before = found === undefined ? '' : readFileSync(join(root, path), 'utf8');
  if (list.test(withList(before, kind))) return { path, before };
  throw new Refusal(`src/${module} has no list of its ${plural}: write one as src/pets has it first.`);
}

function registered(text, { kind, name }) {
  const { folder, list, exported, spread } = PARTS[kind];
  const entry = exported(formsOf(name));
  const place = kind === 'event' ? '.' : `./${folder}`;
  const withImport = text.replace(IMPORTS, (imports) => `${imports}import { ${entry} } from '${place}/${name}.${kind}.js';\n`);
  return withList(withImport, kind).replace(list, (entries) => {
    const others = entries.trimEnd().replace(/,$/, '');
    return `${others}${others.trim() === '' ? '' : ', '}${spread}${entry}${entries.endsWith('\n') ? ',\n' : ''}`;
  });
}

/** Most modules have no followers, and so no list of them. */
function withList(text, kind) {
  if (kind !== 'follower' || PARTS.follower.list.test(text)) return text;
  return text.replace(QUERY_LIST, '$&const followers = [];\n').replace('...queryHandlers', '...queryHandlers, ...followers');
}

/**
 * The event that a follower is called with, by the type that its module gives to its events.
 * @returns `typed`, which puts it into the text of a follower, and the change by which its module exports the type, unless it does
 */
function followedEvent(root, { event, module }) {
  if (event === undefined) throw new Refusal('Say which event the follower is called with, such as --event pet-added.');
  const sources = pathsBelow(join(root, 'src'));
  const owner = sources.find(definesEvent(root, event))?.split('/')[0];
  if (owner === undefined) throw new Refusal(`There is no event type "${event}"; docs/reference/events.md has them all.`);
  const registry = sources.find((path) => path.startsWith(`${owner}/`) && PARTS.event.registry.test(path.slice(owner.length + 1)));
  const union = /^export type (\w+) = EventsOf<typeof \w+>;$/m.exec(readFileSync(join(root, 'src', registry), 'utf8'))?.[1];
  if (union === undefined) throw new Refusal(`src/${registry} has no type of its events: write one as src/pets has it first.`);
  const file = `./${registry.slice(owner.length + 1, -'.ts'.length)}.js`;
  const specifier = owner === module ? `.${file}` : `../../${owner}/index.js`;
  const typed = (text) =>
    text
      .replace('type DomainEvent, ', '')
      .replace(`DomainEvent<'${EVENT_TOKEN}'>`, `Extract<${union}, { type: '${event}' }>`)
      .replaceAll(EVENT_TOKEN, event)
      .replace(IMPORTS, (imports) => `${imports}import type { ${union} } from '${specifier}';\n`);
  const path = `src/${owner}/index.ts`;
  const before = readFileSync(join(root, path), 'utf8');
  if (owner === module || new RegExp(`^export type \\{[^}]*\\b${union}\\b`, 'm').test(before)) return { typed, changes: [] };
  return { typed, changes: [{ path, before, text: before.replace(IMPORTS, `$&\nexport type { ${union} } from '${file}';\n`) }] };
}

/** A file's name is there once in a module, and what an event is called in the log once in all. */
function assertNameFree(root, { kind, name, module }) {
  const sources = pathsBelow(join(root, 'src'));
  const same = sources.find((path) => path.startsWith(`${module}/`) && path.endsWith(`/${name}.${kind}.ts`));
  const other = same ?? (kind === 'event' ? sources.find(definesEvent(root, name)) : undefined);
  if (other) throw new Refusal(`"${name}" is taken by src/${other}: take another name.`);
}

/** A check whether a source file defines an event type. */
function definesEvent(root, type) {
  const definition = new RegExp(`^\\s*(?:'${type}'|${type}): \\{\\s*schemaVersion:`, 'm');
  return (path) => /\.events?\.ts$/.test(path) && definition.test(readFileSync(join(root, 'src', path), 'utf8'));
}

function pathsBelow(folder) {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => path.replaceAll('\\', '/'));
}
