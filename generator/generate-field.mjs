import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, changedDocuments } from './documents.mjs';
import { fieldMember } from './module/domain.mjs';
import { readField } from './module/model.mjs';
import { formsOf, kebabOf } from './names.mjs';
import { Refusal } from './refusal.mjs';
import { formatted } from './source-text.mjs';

const FIELDS_CLASS = /(?<=^export class )(?<name>\w+)Fields \{\n(?<members>.*?)(?=^\}$)/ms;
const MEMBER = /^ {2}readonly (\w+)[?!]: /gm;
const EVENT_DATA = /(?<=^ {4}data: \{ )(?<members>.*)(?= \},$)/gm;
/** Where a function says what the query schema shows of one. */
const SHOWN_MEMBERS = /(?<=^export function to\w+Type\(.*\n {2}return \{) \.\.\.(\w+),/m;
const VERSION = /(?<=^ {2}version: )\d+(?=,$)/m;

/**
 * Says what an optional field of a module's aggregate would change: the class of its fields, the events that carry it, the version of its
 * read model, its type of the query schema, and the command that takes such fields on the command line.
 * @param options `name`: NAME or NAME:KIND as typed; `module` that it is for
 * @returns the changes, for `writeChanges`
 * @throws Refusal for a name that is wrong or taken, and for a module without these places
 */
export async function fieldChanges(root, { name: typed, module }) {
  const [name, kind = 'text'] = typed.split(':');
  const fields = fileOf(root, module, /^domain\/[^/]+-fields\.ts$/, FIELDS_CLASS);
  const { groups } = FIELDS_CLASS.exec(fields.before);
  const names = [...groups.members.matchAll(MEMBER)].map(([, member]) => member);
  const field = readField(formsOf(module), `${name}:${kind.replace(/\?$/, '')}?`);
  if (field.kind.words) throw new Refusal('Words need a list with a name: write such a field by hand, as src/pets has its status.');
  if (names.includes(name)) throw new Refusal(`${fields.path} has "${name}" already.`);
  const first = names[0];
  const [type, action] = [endOfMember(groups.name, names.at(-1)), actionAfter(first)];
  const edits = [
    [fields, (text) => withRules(text.replace(FIELDS_CLASS, `$&\n${fieldMember(field)}\n`), field)],
    [fileOf(root, module, /^domain\/[^/]+\.events\.ts$/, EVENT_DATA), (text) => withMember(text, first, field)],
    [
      fileOf(root, module, /^read-model\/[^/]+\.projection\.ts$/, VERSION),
      (text) => text.replace(VERSION, (version) => Number(version) + 1),
    ],
    [fileOf(root, module, /^graphql\/[^/]+\.resolver\.ts$/, type), (text) => withSchemaField(text, type, field)],
    [fileOf(root, module, /^cli\/[^/]+\.cli\.ts$/, action), (text) => withOption(text, action, field)],
  ];
  const changes = await Promise.all(
    edits.map(async ([{ path, before }, edit]) => ({ path, before, text: await formatted(root, path, edit(before)) })),
  );
  await build(root);
  return [
    ...changes,
    ...(await changedDocuments(
      root,
      changes.map(({ path, text }) => [path, text]),
    )),
  ];
}

/** The module's one file of a kind. */
function fileOf(root, module, kind, place) {
  const home = join(root, 'src', module);
  const found = readdirSync(home, { recursive: true, encoding: 'utf8' })
    .filter((path) => kind.test(path))
    .map((path) => ({ path: `src/${module}/${path}`, before: readFileSync(join(home, path), 'utf8') }))
    .find(({ before }) => before.search(place) >= 0);
  if (found) return found;
  throw new Refusal(`src/${module} has no place for a field that fits ${kind.source}: write one as src/pets has it first.`);
}

/** The rules that a declaration needs are imported with the others. */
function withRules(text, { kind }) {
  const [, rule] = /^@(\w+)/.exec(kind.rule);
  const withOptional = importing(importing(text, '#libs/database', ['columnTypes', 'optional']), '#libs/http', ['IfGiven']);
  return importing(withOptional, rule === 'IsBoolean' ? 'class-validator' : '#libs/http', [rule]);
}

function importing(text, specifier, names) {
  const list = new RegExp(`(?<=^import \\{)([^}]*)(?=\\} from '${specifier}';$)`, 'm');
  if (!list.test(text)) return `import { ${names.join(', ')} } from '${specifier}';\n${text}`;
  return text.replace(
    list,
    (listed) => ` ${[...new Set([...listed.split(',').map((name) => name.trim()), ...names])].filter(Boolean).join(', ')} `,
  );
}

/** The first event carries it, and each one that may leave out what has to be said at first, as one of a correction. */
function withMember(text, first, { name, kind }) {
  let count = 0;
  return text.replace(EVENT_DATA, (members) => {
    count += 1;
    return count === 1 || members.includes(`'${first}?':`) ? `${members}, '${name}?': ${kind.event}` : members;
  });
}

/** The end of the line of a member of the type of the query schema. */
const endOfMember = (one, member) =>
  new RegExp(`(?<=^export class ${one}Type\\b(?:(?!^\\}$).)*?^ {2}readonly ${member}[?!]: [^\n]*;$)`, 'ms');

function withSchemaField(text, place, { name, what, kind }) {
  const field = `
  @Field(() => ${kind.graphql}, { nullable: true, description: '${what}; null if it is not known.' })
  readonly ${name}?: ${kind.graphqlType} | undefined;`;
  const withField = text.replace(place, `\n${field}`);
  const shown = kind.graphqlType === kind.type ? withField : withField.replace(SHOWN_MEMBERS, `$& ${name}: $1.${name}?.toString(),`);
  return importing(shown, kind.graphql === 'DateTimeScalar' ? '#libs/graphql' : '@nestjs/graphql', graphqlNames(kind));
}

/** `String` and `Boolean` are those of the language. */
function graphqlNames({ graphql }) {
  return ['String', 'Boolean'].includes(graphql) ? ['Field'] : [graphql];
}

/** Before the action of the first command that has an option for a field. */
const actionAfter = (field) => new RegExp(`(?<='--${formsOf(kebabOf(field)).kebab} <.*?)(?=\\.action\\()`, 's');

function withOption(text, place, { option, placeholder, what, kind }) {
  const parse = kind.option(option);
  const line = `.option('${option} <${placeholder}>', '${what[0].toLowerCase()}${what.slice(1)}'${parse ? `, ${parse}` : ''})\n    `;
  const withLine = text.replace(place, line);
  return parse ? importing(withLine, '#libs/cli', [parse.split('(')[0]]) : withLine;
}
