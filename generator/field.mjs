import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fieldItem, readField } from './model.mjs';
import { formsOf, kebabOf, Refusal } from './names.mjs';
import { fieldTexts, formatted, readTemplate, withImportsFor } from './template.mjs';

const FIELDS_CLASS = /(?<=^export class )(?<name>\w+)Fields \{\n(?<members>.*?)(?=^\}$)/ms;
const MEMBER = /^ {2}readonly (\w+)[?!]: /gm;
const EVENT_DATA = /(?<=^ {4}data: \{)([^{}]*?),?\s*(?=\},$)/gm;
const VERSION = /(?<=^ {2}version: )\d+(?=,$)/m;

/**
 * Says what an optional field of a module's aggregate would change: the class of its fields, the events that carry it, the version of its
 * read model, its type of the query schema, and the command that takes such fields on the command line.
 * @param options `name`: NAME or NAME:KIND as typed; `module` that it is for
 * @throws Refusal for a name that is wrong or taken, and for a module without these places
 */
export async function fieldChanges(root, { name: typed, module }) {
  const field = readField(typed.includes(':') ? `${typed.replace(/\?$/, '')}?` : `${typed}:text?`);
  if (field.kind === 'enum') throw new Refusal('Words need a list with a name: write such a field by hand, as src/pets has its status.');
  const declared = fileOf(root, module, 'domain', FIELDS_CLASS);
  const { groups } = FIELDS_CLASS.exec(declared.before);
  const names = [...groups.members.matchAll(MEMBER)].map(([, member]) => member);
  if (names.includes(field.name)) throw new Refusal(`${declared.path} has "${field.name}" already.`);
  const type = new RegExp(`(?<=^export class ${groups.name}Type\\b(?:(?!^\\}$).)*?^ {2}readonly ${names.at(-1)}[?!]: [^\n]*;$)`, 'ms');
  // Before the action of the first command that has an option for a field.
  const action = new RegExp(`(?<='--${formsOf(kebabOf(names[0])).kebab} <.*?)(?=\\.action\\()`, 's');
  const edits = [
    [declared, 'domain/blank-form.ts', (text, [member]) => text.replace(FIELDS_CLASS, `$&\n${member}\n`)],
    [
      fileOf(root, module, 'domain', EVENT_DATA),
      'domain/blank-form.events.ts',
      (text, [member]) => withEventMember(text, names[0], member),
    ],
    [fileOf(root, module, 'read-model', VERSION), undefined, (text) => text.replace(VERSION, (version) => Number(version) + 1)],
    [
      fileOf(root, module, 'graphql', type),
      'graphql/blank-forms.resolver.ts',
      (text, [member, shown]) =>
        text
          .replace(type, `\n\n${member}`)
          .replace(/(?<=^export function to\w+Type\((?:(?!^\}$).)*?)\.\.\.(\w+),/ms, (from, value) =>
            shown ? `${from} ${shown.replace('from.', `${value}.`)}` : from,
          ),
    ],
    [fileOf(root, module, 'cli', action), 'cli/blank-forms.cli.ts', (text, [option]) => text.replace(action, `${option.trim()}\n    `)],
  ];
  const templates = readTemplate('template');
  const changes = edits.map(async ([{ path, before }, source, edit]) => {
    const template = templates.find((file) => file.path === source)?.text ?? '';
    const pieces = fieldTexts(template, fieldItem(field));
    return { path, before, text: await formatted(root, path, withImportsFor(edit(before, pieces), pieces.join('\n'), template)) };
  });
  return Promise.all(changes);
}

/** The module's one file of a folder that has a place. */
function fileOf(root, module, folder, place) {
  const home = join(root, 'src', module, folder);
  const found = readdirSync(home)
    .map((name) => ({ path: `src/${module}/${folder}/${name}`, before: readFileSync(join(home, name), 'utf8') }))
    .find(({ before }) => before.search(place) >= 0);
  if (found) return found;
  throw new Refusal(`src/${module}/${folder} has no place for a field: write one as src/pets has it first.`);
}

/** The first event carries it, and each one that may leave out what has to be said at first, as one of a correction. */
function withEventMember(text, first, member) {
  let count = 0;
  return text.replace(EVENT_DATA, (members) => {
    count += 1;
    return count === 1 || members.includes(`'${first}?':`) ? `${members.trimEnd().replace(/,$/, '')}, ${member}` : members;
  });
}
