import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkName, formsOf, Refusal } from './names.mjs';
import { formatted, renaming } from './template.mjs';

const IMPORTS = /^(?:import [^;]*;\n)+/;
const MODULE_FILE = /^[^/]+\.module\.ts$/;

/** What can be added to a module: the folder of its file, and the list that it is registered in. */
const PARTS = {
  command: { folder: 'commands', file: MODULE_FILE, list: /(?<=^const commandHandlers = \[)([^\]]*)(?=\];$)/m },
  query: { folder: 'queries', file: MODULE_FILE, list: /(?<=^const queryHandlers = \[)([^\]]*)(?=\];$)/m },
  follower: { folder: 'followers', file: MODULE_FILE, list: /(?<=^const followers = \[)([^\]]*)(?=\];$)/m },
  event: { folder: 'domain', file: /^domain\/[^/]+\.events\.ts$/, list: /(?<=^export const \w+ = \{)(.*?)(?=^\} as const satisfies)/ms },
};

/**
 * Says what a part of a module would write: its file, and its place in the module's own list.
 * @param options `event`: the type that a follower is called with
 * @throws Refusal for a name that is wrong or taken, and for a module that has no such list
 */
export async function partChanges(root, { kind, name, module, event }) {
  checkName(name);
  const sources = pathsBelow(join(root, 'src'));
  const taken = sources.find((path) => path.startsWith(`${module}/`) && path.endsWith(`/${name}.${kind}.ts`));
  const defined = kind === 'event' && definition(root, sources, name);
  if (taken || defined) throw new Refusal(`"${name}" is taken by src/${taken ?? defined}: take another name.`);
  if (kind === 'follower' && !definition(root, sources, event)) {
    throw new Refusal('Say which event the follower is called with, such as --event pet-added; docs/reference/events.md has them all.');
  }
  const { folder, file, list } = PARTS[kind];
  const home = `src/${module}/${pathsBelow(join(root, 'src', module)).find((path) => file.test(path))}`;
  const before = readFileSync(join(root, home), 'utf8');
  const listed = kind === 'follower' && !list.test(before) ? withFollowers(before) : before;
  if (!list.test(listed)) throw new Refusal(`${home} has no list for a ${kind}: write one as src/pets has it first.`);
  const { camel, pascal } = formsOf(name);
  const entry = kind === 'event' ? camel : `${pascal}${kind === 'follower' ? '' : 'Handler'}`;
  const registered = listed
    .replace(IMPORTS, `$&import { ${entry} } from './${kind === 'event' ? '' : `${folder}/`}${name}.${kind}.js';\n`)
    .replace(list, (entries) => `${entries.trim().replace(/(?<=.),?$/, ',')} ${kind === 'event' ? '...' : ''}${entry}`);
  const path = `src/${module}/${folder}/${name}.${kind}.ts`;
  const template = readFileSync(join(import.meta.dirname, 'parts', folder, `blank-part.${kind}.ts`), 'utf8');
  return [
    { path, text: await formatted(root, path, renaming([['blank-part', name]])(template).replaceAll('blank-event', event)) },
    { path: home, before, text: await formatted(root, home, registered) },
  ];
}

/** Most modules have no followers, and so no list of them. */
function withFollowers(text) {
  const withList = text.replace(/^const queryHandlers = \[[^\]]*\];\n/m, '$&const followers = [];\n');
  return withList.replace('...queryHandlers', '...queryHandlers, ...followers');
}

/** The source file that defines an event type, which the log has once. */
function definition(root, sources, type) {
  const defined = new RegExp(`^\\s*(?:'${type}'|${type}): \\{\\s*schemaVersion:`, 'm');
  return sources.find((path) => /\.events?\.ts$/.test(path) && defined.test(readFileSync(join(root, 'src', path), 'utf8')));
}

function pathsBelow(folder) {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => path.replaceAll('\\', '/'));
}
