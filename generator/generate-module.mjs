import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, changedDocuments } from './documents.mjs';
import { checkForm, formsOf, singularOf } from './names.mjs';
import { Refusal } from './refusal.mjs';
import { assertFoldersFree, assertNamesFree } from './taken-names.mjs';
import { assertWordsFree, formatted, moved, readTemplate, renaming } from './template.mjs';

const TEMPLATE = 'generator/template';
const TOKENS = { plural: 'blank-forms', singular: 'blank-form' };
/** The lists that have a line for each module; the path of a line is behind its module's folder. */
const MODULES = { path: 'src/modules.ts', lineOf: (name) => `export { ${formsOf(name).camel} } from './${name}/index.js';` };
const COMMANDS = {
  path: 'src/commands.ts',
  lineOf: (name) => `export { register${formsOf(name).pascal}Commands } from './${name}/cli/${name}.cli.js';`,
};
const LINE_OF_LIST = /^export \{ \w+ \} from '\.\/[a-z0-9-]+\/[a-z0-9/.-]+\.js';$/;

/**
 * Says what a new module would write: its folder, its line in the list of modules and the documents with it.
 * @param options `name`: the plural, such as `shelters`; `singular`: for where the grammar does not know it
 * @returns the changes, for `writeChanges`
 * @throws Refusal for a name that cannot be, and for a tree that the module cannot be put into
 */
export async function moduleChanges(root, { name, singular }) {
  checkForm(name);
  const names = { plural: name, singular: singularOf(name, singular) };
  const template = readTemplate(join(root, TEMPLATE));
  const rename = renaming([
    [TOKENS.plural, names.plural],
    [TOKENS.singular, names.singular],
  ]);
  assertWordsFree(rename, [...template.values()]);
  assertFoldersFree(root, names);
  const [modules, commands] = [MODULES, COMMANDS].map((list) => listWith(root, list, names));
  await build(root);
  await assertNamesFree(root, names);
  const files = await renderedFiles(root, template, rename);
  const sources = [...files, modules].filter(({ path }) => !path.includes('/test/')).map(({ path, text }) => [path, text]);
  return [...files, ...(await changedDocuments(root, sources)), modules, commands];
}

async function renderedFiles(root, template, rename) {
  const rendered = [...template].map(async ([path, text]) => {
    const from = `${TEMPLATE}/${path}`;
    const to = `src/${TOKENS.plural}/${path}`;
    return { path: rename(to), text: await formatted(root, rename(to), rename(moved(text, { from, to, folder: TEMPLATE }))) };
  });
  return Promise.all(rendered);
}

function listWith(root, { path, lineOf }, { plural }) {
  const before = readFileSync(join(root, path), 'utf8');
  const line = lineOf(plural);
  const lines = before.split('\n');
  const places = lines.flatMap((each, index) => (LINE_OF_LIST.test(each) ? [index] : []));
  const last = places.at(-1);
  if (last === undefined) throw new Refusal(`${path} has no place for the module: it needs lines such as ${line}`);
  const place = places.find((index) => lines[index].split(' from ')[1] > line.split(' from ')[1]) ?? last + 1;
  return { path, before, text: lines.toSpliced(place, 0, line).join('\n') };
}
