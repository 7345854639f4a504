import pluralize from 'pluralize';
import { checkName, formsOf, kebabOf, pastTense, Refusal, withArticle } from './names.mjs';
import { renaming } from './template.mjs';

const KINDS = { text: 'blank-text', int64: 'blank-integer', time: 'blank-time', boolean: 'blank-flag', enum: 'blank-word' };
const FIELD =
  /^([a-z][A-Za-z0-9]{0,39}):(text|int64|time|boolean|enum(?=\())(?:(?<=text)\(([1-9]\d{0,3}|10000)\)|(?<=enum)\(([a-z0-9,-]+)\))?(\?)?$/;
const COMMAND = /^([^:=]*)(?:=([^:=]*))?(?:=([^:=]*))?(?::(.*))?$/;
/** Members and parameters that each module has beside its fields, and columns that each table has. */
const TAKEN_FIELDS = new Set(
  ['id', 'kind', 'version', 'metadata', 'idempotency', 'values', 'json', 'help', 'limit', 'cursor', 'order', 'total', 'signal']
    .concat('command', 'connection', 'edge', 'event', 'filter', 'filters', 'reader', 'state', 'type', 'constructor')
    .concat('cmax', 'cmin', 'ctid', 'oid', 'rowid', 'tableoid', 'xmax', 'xmin'),
);
const TAKEN_COMMANDS = new Set(['get', 'help', 'list', 'count', 'constructor']);
const TIME_ORDER = ', with a filter by time by that time,';

/**
 * What a module is, for its files.
 * @param words `commands`, `internal` ones without a route, and `fields` as they were typed, each a list
 * @returns the lists of items from which `written` makes the files, and what is done with each text in the end
 * @throws Refusal naming what is wrong and what would be right
 */
export function moduleModel({ plural, singular, state = 'status' }, { commands = [], internal = [], fields = ['name:text'] }) {
  const all = fields.map(readField);
  const names = all.map(({ name }) => name);
  assertOnce('field', names);
  const [first = 'add', ...rest] = commands;
  const add = readCommand(first, all);
  if (add.fields) throw new Refusal(`"${first}" is the first command, which takes all fields: give only its name.`);
  const routed = (rest.length > 0 ? rest : [`change:${names.join(',')}`]).map((typed) => readCommand(typed, all));
  const others = [...routed, ...internal.map((typed) => readCommand(typed, all))];
  const words = [add, ...others].flatMap(({ verb, past }) => [verb, past]);
  assertOnce('command', words);
  const moves = others.filter((other) => !other.fields);
  const [move] = moves;
  const isSaid = add.value !== add.past || state !== 'status';
  if (isSaid && !move) throw new Refusal(`Nothing moves the ${state}: add a command without fields, such as close.`);
  checkName(state);
  const { camel } = formsOf(state);
  checkMember(camel);
  if (move && names.includes(camel)) throw new Refusal(`"${move.verb}" moves the ${state}, so no field can be called "${camel}".`);
  const back = moves.find(({ value }) => value === add.value);
  if (back) throw new Refusal(`"${back.verb}" would move the ${state} to "${back.value}", where it begins: write such a command by hand.`);
  const changed = others.flatMap((other) => other.fields ?? []);
  const time = all.find((field) => field.kind === 'time' && !field.optional && !changed.includes(field));
  const filters = all.filter((field) => field.kind === 'enum' || field === time || (field.kind === 'int64' && field.name.endsWith('Id')));
  const flag = (isSet, write = (text) => text) => (isSet ? [{ write }] : []);
  const rename = renaming([
    ['blank-forms', plural],
    ['blank-form', singular],
    ['blank-opened-state', add.value],
    ['blank-opened', add.past],
    ['blank-open', add.verb],
    ['blank-states', pluralize(state)],
    ['blank-state', state],
  ]);
  const prose = formsOf(singular).prose;
  return {
    lists: {
      field: all.map(fieldItem),
      filter: filters.map((field) => ({ token: KINDS[field.kind], write: (piece) => named(piece, field) })),
      command: others.map(commandItem),
      route: routed.map(commandItem),
      state: flag(move, move && renaming([['blank-closed-state', move.value]])),
      value: [...new Set(moves.map(({ value }) => value))].map((value) => ({ write: renaming([['blank-closed-state', value]]) })),
      time: flag(time),
      filters: flag(move || filters.length > 0),
      animals: flag(all.some(({ name, kind }) => name === 'petId' && kind === 'int64')),
    },
    finish: (text) =>
      rename(
        (time ? text : text.replaceAll(TIME_ORDER, ''))
          .replaceAll('NewBlankForm<Id>', hasInteger(all) ? '$&' : 'NewBlankForm')
          .replace(/, \{\n +/g, ', { ')
          .replace(/\b([Aa]) blank form\b/g, (_, article) => withArticle(prose, article)),
      ),
  };
}

/** A field as it was typed, such as `startsAt:time?`. @throws Refusal naming what is wrong and what would be right */
export function readField(text) {
  const [, name, kind, length = '255', words, optional] = FIELD.exec(text) ?? [];
  if (name === undefined) {
    throw new Refusal(
      `"${text}" is no field: write its name and kind, such as startsAt:time; kinds are text, text(80) for a length of 1 to 10000, int64, time, boolean, enum(a,b), with a ? if it is optional.`,
    );
  }
  checkMember(name);
  const list = words?.split(',') ?? [];
  list.forEach(checkName);
  assertOnce('word', list);
  if (list.length === 1) throw new Refusal(`"${text}" has one word: give two or more, such as enum(small,large).`);
  return { name, kind, length, words: list, optional: optional !== undefined };
}

function checkMember(name) {
  if (TAKEN_FIELDS.has(name) || /^no[A-Z]/.test(name)) throw new Refusal(`A field cannot be called "${name}": take another word.`);
}

/** The item of a field, which the template has as an optional one. */
export function fieldItem(field) {
  return { token: KINDS[field.kind], write: (piece) => named(field.optional ? piece : required(piece), field) };
}

function required(piece) {
  return piece
    .replace(/^ *@IfGiven\(\)\n/m, '')
    .replace(/optional\((.*)\)\)/, '$1)')
    .replace(/\?: (.*) \| undefined;/, '!: $1;')
    .replace('nullable: true, ', '')
    .replace('; null if it is not known', '')
    .replace(/'(\w+)\?'/, '$1')
    .replace('.option(', '.requiredOption(')
    .replace('(BLANK_FORM_BLANK_WORDS))', '(BLANK_FORM_BLANK_WORDS).makeOptionMandatory())')
    .replace('?.toString', '.toString');
}

/** Puts the names of a field into a piece of the template. */
function named(piece, { name, kind, length, words }) {
  const token = KINDS[kind];
  const [from, to] = [formsOf(token), formsOf(kebabOf(name))];
  const what = whatItIs(to.prose, kind);
  const filter = name.replace(kind === 'int64' ? /Id$/ : /(?<=.)At$/, '');
  const phrases = [
    [`The ${from.prose}`, what],
    [`the ${from.prose}`, what[0].toLowerCase() + what.slice(1)],
    [`${from.prose}s`, pluralize(to.prose)],
    [`${from.camel}In`, `${filter}In`],
    [`${from.camel}Since`, `${filter}Since`],
    [`${from.camel}Before`, `${filter}Before`],
    [`${from.kebab}-since`, `${kebabOf(filter)}-since`],
    [`${from.kebab}-before`, `${kebabOf(filter)}-before`],
    [`${from.screaming}S`, pluralize(to.snake).toUpperCase()],
    ['255', length],
    ['First', 'First'.slice(0, length)],
    ['Second', 'Second'.slice(0, length)],
    ["'blank-first', 'blank-second'", words.map((word) => `'${word}'`).join(', ')],
  ];
  const shownWords = words.slice(0, 2).map((word, place) => [place === 0 ? 'blank-first' : 'blank-second', word]);
  return renaming([...shownWords, [token, kebabOf(name)]])(phrases.reduce((text, [phrase, now]) => text.replaceAll(phrase, now), piece));
}

/** What a field is, for descriptions: `startsAt` is when it starts, `finishedAt` when it is finished, `petId` the id of the pet. */
function whatItIs(prose, kind) {
  const [, event] = /^(.*) at$/.exec(prose) ?? [];
  if (kind === 'time' && event) return event.endsWith('s') ? `When it ${event}` : `When it is ${event}`;
  if (kind === 'time' && / (?:by|for|from|in|on|since|to|until)$/.test(prose)) return `The time ${prose}`;
  const [, owner] = /^(.*) id$/.exec(prose) ?? [];
  if (owner) return `The id of the ${owner}`;
  return kind === 'boolean' ? `Whether it is ${prose.replace(/^is /, '')}` : `The ${prose}`;
}

/** A command as it was typed, such as `cancel`, `put=put`, `cancel==void` or `move:startsAt,note`. */
function readCommand(typed, fields) {
  const [, verb, given, value, list] = COMMAND.exec(typed) ?? [];
  [verb ?? typed, ...[given, value].filter(Boolean)].forEach(checkName);
  if (value && list) throw new Refusal(`"${typed}" changes fields, so it moves to no value: leave out "=${value}".`);
  if (TAKEN_COMMANDS.has(verb)) throw new Refusal(`Each module has "${verb}" already: take another word.`);
  const unknown = list?.split(',').find((name) => !fields.some((field) => field.name === name));
  if (unknown !== undefined) {
    throw new Refusal(`"${typed}" changes "${unknown}", which is no field: name one of ${fields.map(({ name }) => name).join(', ')}.`);
  }
  const changed = list?.split(',').flatMap((name) => fields.filter((field) => field.name === name));
  const past = given || pastTense(verb);
  return { verb, past, value: value || past, fields: changed };
}

function commandItem({ verb, past, value, fields }) {
  const token = fields ? 'blank-change' : 'blank-close';
  const rename = renaming([
    ['blank-closed-state', value],
    [`${token}${token.endsWith('e') ? 'd' : 'ed'}`, past],
    [token, verb],
  ]);
  const typed = (text) => (hasInteger(fields ?? []) ? text : text.replaceAll('BlankChangeBlankForm<Id>', 'BlankChangeBlankForm'));
  return { token, lists: { field: (fields ?? []).map(fieldItem) }, write: (piece) => rename(typed(piece)) };
}

const hasInteger = (fields) => fields.some(({ kind }) => kind === 'int64');

function assertOnce(what, names) {
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new Refusal(`The ${what} "${twice}" is there twice: name it once.`);
}
