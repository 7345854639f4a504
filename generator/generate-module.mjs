import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, changedDocuments } from './documents.mjs';
import { clientChanges } from './module/client.mjs';
import { commandLineFiles } from './module/command-line.mjs';
import { commandFiles } from './module/commands.mjs';
import { compositionFiles } from './module/composition.mjs';
import { contractTestFiles } from './module/contract-test.mjs';
import { deciderTestFiles } from './module/decider-test.mjs';
import { domainFiles } from './module/domain.mjs';
import { graphqlFiles } from './module/graphql.mjs';
import { moduleModel } from './module/model.mjs';
import { readingFiles } from './module/reading.mjs';
import { restFiles } from './module/rest.mjs';
import { serviceTestFiles } from './module/service-test.mjs';
import { checkForm, formsOf, singularOf } from './names.mjs';
import { Refusal } from './refusal.mjs';
import { assertWordsFree, formatted, renaming } from './source-text.mjs';
import { assertFoldersFree, assertNamesFree, isFolder } from './taken-names.mjs';

/** The lists that have a line for each module; the path of a line is behind its module's folder. */
const MODULES = { path: 'src/modules.ts', lineOf: (name) => `export { ${formsOf(name).camel} } from './${name}/index.js';` };
const COMMANDS = {
  path: 'src/commands.ts',
  lineOf: (name) => `export { register${formsOf(name).pascal}Commands } from './${name}/cli/${name}.cli.js';`,
};
const LINE_OF_LIST = /^export \{ \w+ \} from '\.\/[a-z0-9-]+\/[a-z0-9/.-]+\.js';$/;
/** Placeholders for the names of the module, for finding the other names in the code. */
const TOKENS = { plural: 'blank-forms', singular: 'blank-form' };
/** In the order of a request. */
const FILES = [
  compositionFiles,
  restFiles,
  graphqlFiles,
  commandLineFiles,
  commandFiles,
  domainFiles,
  readingFiles,
  deciderTestFiles,
  serviceTestFiles,
  contractTestFiles,
];

/**
 * Says what a new module would write: its folder, its lines in the lists of modules, the client's methods and the documents with it.
 * @param options `name`: the plural, such as `shelters`; `singular`: for where the grammar does not know it; `commands` and `fields` as typed
 * @returns the changes, for `writeChanges`
 * @throws Refusal for what cannot be, and for a tree that the module cannot be put into
 */
export async function moduleChanges(root, { name, singular, commands, fields }) {
  checkForm(name);
  const names = { plural: name, singular: singularOf(name, singular, (folder) => isFolder(root, folder)) };
  const model = moduleModel(names, { commands, fields });
  assertNamesFit(names, moduleModel(TOKENS, { commands, fields }));
  assertFoldersFree(root, names);
  const lists = [MODULES, COMMANDS].map((list) => listWith(root, list, names));
  const client = await Promise.all(clientChanges(root, model).map((change) => inFormat(root, change)));
  await build(root);
  await assertNamesFree(root, names);
  const files = await Promise.all(filesOf(model).map(([path, text]) => inFormat(root, { path: `src/${name}/${path}`, text })));
  const sources = [...files, lists[0]].filter(({ path }) => !path.includes('/test/')).map(({ path, text }) => [path, text]);
  return [...files, ...client, ...(await changedDocuments(root, sources)), ...lists];
}

/** @throws Refusal where a name of the module would be in the code what another one is */
function assertNamesFit({ plural, singular }, model) {
  const rename = renaming([
    [TOKENS.plural, plural],
    [TOKENS.singular, singular],
  ]);
  assertWordsFree(
    rename,
    filesOf(model).map(([, text]) => text),
  );
}

const filesOf = (model) => FILES.flatMap((write) => write(model));

async function inFormat(root, change) {
  return { ...change, text: await formatted(root, change.path, change.text) };
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
