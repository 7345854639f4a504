import pluralize from 'pluralize';
import { checkForm, checkImperative, formsOf, isReserved, kebabOf, pastTense } from '../names.mjs';
import { Refusal } from '../refusal.mjs';
import { filtersOf } from './filters.mjs';
import { KINDS, wordKind } from './kinds.mjs';

const FIELD = /^([^:]*):(text|int64|time|boolean|enum\((.*)\))(\?)?$/;
const FIELD_NAME = /^[a-z][A-Za-z0-9]{0,39}$/;
const COMMAND = /^([^:=]*)(?:=([^:]*))?(?::(.*))?$/;
const TAKEN_COMMANDS = new Set(['get', 'help', 'list']);
/** Members that each module has beside its fields, on some of its ways. */
const TAKEN_FIELDS = new Set([
  'id',
  'kind',
  'version',
  'metadata',
  'idempotency',
  'appendOptions',
  'inputNames',
  'json',
  'help',
  'limit',
  'cursor',
]);
/** What PostgreSQL and SQLite call columns that each table has. */
const TAKEN_COLUMNS = new Set(['cmax', 'cmin', 'ctid', 'oid', 'rowid', 'tableoid', 'xmax', 'xmin']);
/** Each module has a type of its own name with one of these behind it; its list and the client have parameters of the others. */
const TAKEN_WORDS = new Set([
  ...['command', 'connection', 'edge', 'event', 'filter', 'filters', 'reader', 'state', 'type'],
  ...['ids', 'order', 'signal', 'total'],
]);

/**
 * What a module is, from which all of its files follow.
 * @param words `commands` and `fields` as they were typed, each a list
 * @throws Refusal naming what is wrong and what would be right
 */
export function moduleModel(names, { commands = [], fields = [] }) {
  const one = formsOf(names.singular);
  const all = readFields(one, fields.length === 0 ? ['name:text'] : fields);
  const [first = 'add', ...rest] =
    commands.length > 0 ? commands : ['add', ...(all.some(({ name }) => name === 'name') ? ['rename:name'] : [])];
  const add = readCommand(one, first);
  if (add.names !== undefined) {
    throw new Refusal(`"${first}" is the first command, which takes all fields: give only its name, such as ${add.verb.kebab}.`);
  }
  const further = rest.map((typed) => ({ ...readCommand(one, typed), typed }));
  assertOnce(
    'command',
    [add, ...further].map(({ verb }) => verb.kebab),
  );
  assertOnce(
    'event',
    [add, ...further].map(({ past }) => past.kebab),
  );
  const others = further.map((each) => (each.names ? { ...each, fields: each.names.map((name) => find(all, name, each.typed)) } : each));
  const moves = others.filter(({ fields: changed }) => changed === undefined);
  const status = moves.length > 0 ? statusField(one, all, [add, ...moves]) : undefined;
  const model = {
    one,
    many: formsOf(names.plural),
    fields: all,
    shown: status ? [...all, status] : all,
    add,
    others,
    /** Those of the others that change fields, and those that move the status. */
    changes: others.filter((each) => !moves.includes(each)),
    moves,
    status,
  };
  const filters = filtersOf(model);
  assertOnce(
    'filter',
    filters.map(({ name }) => name),
  );
  return { ...model, filters };
}

function readFields(one, typed) {
  const fields = typed.map((text) => readField(one, text));
  assertOnce(
    'field',
    fields.map(({ name }) => name),
  );
  return fields;
}

/** A field as it was typed, such as `startsAt:time?`. @throws Refusal naming what is wrong and what would be right */
export function readField(one, text) {
  const [, name, kind, words, optional] = FIELD.exec(text) ?? [];
  if (name === undefined) {
    throw new Refusal(
      `"${text}" is no field: write its name and kind, such as startsAt:time; kinds are text, int64, time, boolean, enum(a,b), with a ? if it is optional.`,
    );
  }
  if (!FIELD_NAME.test(name)) throw new Refusal(`"${name}" is no name of a field: begin with a small letter, such as startsAt.`);
  if (/^no[A-Z]/.test(name)) {
    throw new Refusal(`"${name}" would be an option that takes something away: begin with another word than "no".`);
  }
  if (words !== undefined && TAKEN_WORDS.has(name)) {
    throw new Refusal(`Words cannot be called "${name}", as each module has a type or parameter of that name.`);
  }
  if (TAKEN_FIELDS.has(name) || TAKEN_COLUMNS.has(name) || isReserved(name)) {
    throw new Refusal(`A field cannot be called "${name}": take another word.`);
  }
  return fieldOf(name, words === undefined ? KINDS[kind] : wordsOf(one, name, words.split(','), text), optional !== undefined);
}

function fieldOf(name, kind, optional) {
  const { prose, kebab } = formsOf(kebabOf(name));
  return { name, kind, optional, option: `--${kebab}`, placeholder: kebab, what: whatItIs(prose, kind) };
}

/** What a field is, for descriptions: `startsAt` is when it starts, `finishedAt` when it is finished, `petId` the id of the pet. */
function whatItIs(prose, { type }) {
  const [, event] = /^(.*) at$/.exec(prose) ?? [];
  if (type === 'Date' && event) return event.endsWith('s') ? `When it ${event}` : `When it is ${event}`;
  const [, owner] = /^(.*) id$/.exec(prose) ?? [];
  if (owner) return `The id of the ${owner}`;
  return type === 'boolean' ? `Whether it is ${prose.replace(/^is /, '')}` : `The ${prose}`;
}

function wordsOf(one, name, words, text) {
  for (const word of words) checkForm(word);
  assertOnce('word', words);
  if (words.length < 2) throw new Refusal(`"${text}" has one word: give two or more, such as enum(small,large).`);
  const { snake, pascal } = formsOf(kebabOf(name));
  const [list, type] = [`${one.screaming}_${pluralize(snake).toUpperCase()}`, `${one.pascal}${pascal}`];
  return wordKind(words, { list, type, graphql: `${type}Type` });
}

function statusField(one, fields, commands) {
  if (fields.some(({ name }) => name === 'status')) {
    const [move] = commands.slice(1);
    throw new Refusal(
      `"${move.verb.kebab}" without fields moves the status, so no field can be called "status": name the field otherwise, or the fields of the command, such as ${move.verb.kebab}:status.`,
    );
  }
  return fieldOf(
    'status',
    wordsOf(
      one,
      'status',
      commands.map(({ past }) => past.kebab),
      'status',
    ),
    false,
  );
}

function readCommand(one, text) {
  const [, name, past, list] = COMMAND.exec(text) ?? [];
  checkImperative(name ?? text);
  const end = `-${one.kebab}`;
  if (name.endsWith(end)) throw new Refusal(`"${name}" names the module too: "${name.slice(0, -end.length)}" is enough.`);
  if (TAKEN_COMMANDS.has(name) || name in {}) throw new Refusal(`Each module has "${name}" already: take another word.`);
  if (past !== undefined) checkForm(past);
  return { verb: formsOf(name), past: formsOf(past ?? pastTense(name)), names: list?.split(',') };
}

function find(fields, name, typed) {
  const field = fields.find((each) => each.name === name);
  if (field) return field;
  throw new Refusal(`"${typed}" changes "${name}", which is no field: name one of ${fields.map((each) => each.name).join(', ')}.`);
}

function assertOnce(what, names) {
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new Refusal(`The ${what} "${twice}" is there twice: name it once.`);
}
