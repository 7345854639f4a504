import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, changedDocuments } from './documents.mjs';
import { checkForm, formsOf, isReserved, singularOf } from './names.mjs';
import { Refusal } from './refusal.mjs';
import { refuseFolders, refuseTaken } from './taken-names.mjs';
import { formatted, moved, namesIn, readTemplate, renaming } from './template.mjs';

const TEMPLATE = 'generator/template';
const TOKENS = { plural: 'blank-forms', singular: 'blank-form' };
const LIST = 'src/modules.ts';
const LINE_OF_LIST = /^export \{ \w+ \} from '\.\/[a-z0-9-]+\/index\.js';$/;

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
  refuseWords(names, template);
  refuseFolders(root, names);
  const list = listWith(readFileSync(join(root, LIST), 'utf8'), names);
  await build(root);
  await refuseTaken(root, names);
  const files = await renderedFiles(root, template, names);
  const sources = [...files].filter(([path]) => !path.includes('/test/'));
  const documents = await changedDocuments(root, [...sources, [LIST, list.text]]);
  return [...[...files].map(([path, text]) => ({ path, text })), ...documents, list];
}

async function renderedFiles(root, template, { plural, singular }) {
  const rename = renaming([
    [TOKENS.plural, plural],
    [TOKENS.singular, singular],
  ]);
  const rendered = [...template].map(async ([path, text]) => {
    const from = `${TEMPLATE}/${path}`;
    const to = `src/${TOKENS.plural}/${path}`;
    return [rename(to), await formatted(root, rename(to), rename(moved(text, { from, to, folder: TEMPLATE })))];
  });
  return new Map(await Promise.all(rendered));
}

/** A word that JavaScript or the template itself uses would mean two things in the module's code. */
function refuseWords({ plural, singular }, template) {
  const rename = renaming([
    [TOKENS.plural, plural],
    [TOKENS.singular, singular],
  ]);
  const names = new Set([...template.values()].flatMap((text) => [...namesIn(text)]));
  for (const name of names) {
    const renamed = rename(name);
    if (renamed === name || !(names.has(renamed) || isReserved(renamed))) continue;
    throw new Refusal(`"${plural}" would be called ${renamed} in code, which means something else there: take a name of two words.`);
  }
}

function listWith(before, { plural }) {
  const line = `export { ${formsOf(plural).camel} } from './${plural}/index.js';`;
  const lines = before.split('\n');
  const places = lines.flatMap((each, index) => (LINE_OF_LIST.test(each) ? [index] : []));
  const last = places.at(-1);
  if (last === undefined) throw new Refusal(`${LIST} has no place for the module: it needs lines such as ${line}`);
  const place = places.find((index) => lines[index].split(' from ')[1] > line.split(' from ')[1]) ?? last + 1;
  return { path: LIST, before, text: lines.toSpliced(place, 0, line).join('\n') };
}
