import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { formsOf, Refusal } from './names.mjs';

/** The names in the template that a module's own fields and further commands take the place of, by what they stand for. */
export const FIELD_TOKENS = ['blank-text', 'blank-integer', 'blank-time', 'blank-flag', 'blank-word'];
export const COMMAND_TOKENS = ['blank-close', 'blank-change'];
const TOKENS = { field: FIELD_TOKENS, filter: FIELD_TOKENS, command: COMMAND_TOKENS, route: COMMAND_TOKENS };

/** A mark and the lines that it is for: up to `// end`, to another mark or to a line that is less indented. */
const REGION = /^( *)\/\/ (?:each|if) (\w+)\n((?:(?:\1(?!\/\/ (?:each|if|end)\b).*)?\n)*)(?:\1\/\/ end\n)?/gm;
/** A list of all fields in one line. */
const FIELD_LIST = /(?<=[[{] ?)'?blankText\b[^\n\]}]*\bblankWord\b[^\n\]}]*?(?= ?[\]}])/g;
/** Prettier joins the lines of an object only if it has none after its brace. */
const REPEATED = '\u0001';
const REPEATED_IN_BRACES = new RegExp(`\\{\\n([^{}${REPEATED}]*)${REPEATED}`, 'g');
const IMPORTS = /^(?:import [^;]*;\n)+/;
const IMPORT = /^import (type )?\{([^}]*)\} from ('[^']*');\n/gm;
const COMMENTS_AND_TEXTS = /\/\*[\s\S]*?\*\/|\/\/.*|'(?:[^'\\\n]|\\.)*'/g;

/** The files of a folder of the template, each with its text and the path that it has below another folder. */
export function readTemplate(folder, target = '.') {
  const root = join(import.meta.dirname, folder);
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .map((file) => ({ path: join(target, file.slice(root.length)).replaceAll('\\', '/'), text: readFileSync(file, 'utf8') }));
}

/**
 * What becomes of a text of the template: each piece of a marked region, a line or what blank lines separate, is written once for each item of
 * the list that the mark names, if it names what the item stands for.
 * @param lists items by the name of their list. An item has its `token` in the template, `write` that puts its names into a piece, and
 * `lists` of its own
 */
export function written(text, lists) {
  const code = text.replace(REGION, (_, indent, list, body) => {
    const texts = textsOf(list, body, lists);
    if (texts.length === 0) return REPEATED;
    const between = list !== 'filter' && body.trimEnd().includes('\n\n') ? '\n\n' : '\n';
    return `${REPEATED}${texts.join(between)}\n${body.endsWith('\n\n') ? '\n' : ''}`;
  });
  return code
    .replace(FIELD_LIST, (list) => lists.field.flatMap((item) => repeated(list.split(', '), item, lists)).join(', '))
    .replace(REPEATED_IN_BRACES, '{ $1')
    .replaceAll(REPEATED, '');
}

/** What a region of a template's text is for one field, in the order of the regions. */
export function fieldTexts(text, item) {
  return [...text.matchAll(REGION)].flatMap(([, , list, body]) => (list === 'field' ? textsOf(list, body, { field: [item] }) : []));
}

/** The parts of a region, written for each item. A part of lines that name an item each has one piece in each line. */
function textsOf(list, body, lists) {
  const isOfOne = (line) => (TOKENS[list] ?? []).some((token) => mentions(line, token));
  const parts = (TOKENS[list] ? body.trimEnd().split('\n\n') : [body.trimEnd()]).map((part) => {
    const lines = part.split('\n');
    return lines.every(isOfOne) ? lines : [part];
  });
  return lists[list]
    .flatMap((item) => parts.map((pieces) => repeated(pieces, item, { ...lists, ...item.lists }).join('\n')))
    .filter(Boolean);
}

const repeated = (pieces, item, lists) =>
  pieces.filter((piece) => !item.token || mentions(piece, item.token)).map((piece) => item.write(written(piece, lists)));

const mentions = (text, token) => new RegExp(token.replace('-', '[-_ ]?'), 'i').test(text);

/** The same for a whole file, with the imports that it needs then. */
export function writtenFile(text, lists) {
  const [imports = ''] = IMPORTS.exec(text) ?? [];
  const code = written(text.slice(imports.length), lists);
  const needed = imports.replace(IMPORT, (statement, type = '', names, specifier) => {
    if (COMMAND_TOKENS.some((token) => mentions(specifier, token))) {
      return inPlaceOf(statement, lists)
        .filter((each) => namesIn(each.replace(IMPORT, '$2')).some((name) => isUsed(code, name)))
        .join('');
    }
    const used = namesIn(names)
      .flatMap((name) => inPlaceOf(name, lists))
      .filter((name) => isUsed(code, name));
    if (used.length === 0) return '';
    const areTypes = used.every((name) => type || name.startsWith('type '));
    const listed = used.map((name) => (areTypes ? name.replace('type ', '') : name));
    return `import ${areTypes ? 'type ' : ''}{ ${listed.join(', ')} } from ${specifier};\n`;
  });
  return needed + code;
}

/** What takes the place of an import, or of a name in one. */
function inPlaceOf(name, lists) {
  const list = ['command', 'field'].find((each) => TOKENS[each].some((token) => mentions(name, token)));
  return list ? lists[list].flatMap((item) => repeated([name], item, lists)) : [name];
}

const namesIn = (list) =>
  list
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);

const isUsed = (code, name) =>
  new RegExp(`(?<!(?<!\\.\\.)\\.|[\\w$])${name.replace('type ', '')}\\b`).test(code.replaceAll(COMMENTS_AND_TEXTS, "''"));

/** Adds the imports that a piece of a template's text needs to another text. */
export function withImportsFor(text, piece, template) {
  return [...template.matchAll(IMPORT)].reduce((before, [, , names, specifier]) => {
    const needed = namesIn(names).filter((name) => isUsed(piece, name));
    if (needed.length === 0) return before;
    const list = new RegExp(`(?<=^import \\{)([^}]*)(?=\\} from ${specifier};$)`, 'm');
    if (!list.test(before)) return `import { ${needed.join(', ')} } from ${specifier};\n${before}`;
    return before.replace(list, (listed) => ` ${[...new Set([...namesIn(listed), ...needed])].join(', ')} `);
  }, text);
}

/** Replaces tokens by names, in each form in which code and text write them. A token that holds another one has to stand before it. */
export function renaming(names) {
  const replaced = names.flatMap(([token, name]) => {
    const [from, to] = [formsOf(token), formsOf(name)];
    return Object.keys(from).map((form) => [from[form], to[form]]);
  });
  return (text) => replaced.reduce((before, [from, to]) => before.replaceAll(from, to), text);
}

/** A file's text as the project formats it. @throws Refusal for a name that cannot be one in code */
export async function formatted(root, path, text) {
  const filepath = join(root, path);
  try {
    return await format(text, { ...(await resolveConfig(filepath, { editorconfig: true })), filepath });
  } catch (error) {
    throw new Refusal(`A name means something else in code: take another one. ${error.message.split('\n')[0]}`, { cause: error });
  }
}
