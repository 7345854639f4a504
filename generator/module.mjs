import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { moduleModel } from './model.mjs';
import { checkName, formsOf, Refusal, singularOf } from './names.mjs';
import { formatted, readTemplate, writtenFile } from './template.mjs';

/** The lists that have lines for each module, with those of the template. Each stands behind the last one that is like it. */
const LISTS = {
  'src/modules.ts': ["export { blankForms } from './blank-forms/index.js';"],
  'src/commands.ts': ["export { registerBlankFormsCommands } from './blank-forms/cli/blank-forms.cli.js';"],
  'packages/client/src/client.ts': [
    "import { BlankForms } from './blank-forms.js';",
    '  readonly blankForms: BlankForms<Id>;',
    '    blankForms: new BlankForms(requests),',
  ],
  'packages/client/src/index.ts': ["export type * from './blank-forms.js';"],
};

/**
 * Says what a new module would write: its folder, its lines in the lists of modules and the client's methods.
 * @param options `name`: the plural, such as `shelters`; `singular`: for where the grammar does not know it; `state`, `command`, `internal` and `field` as typed
 * @returns the changes, each a file's path and text, and its text `before` unless it is a new file
 * @throws Refusal for what cannot be
 */
export async function moduleChanges(root, { name: plural, singular: given, state, command, internal, field }) {
  checkName(plural);
  const singular = given ?? singularOf(plural);
  checkName(singular);
  if (singular === plural) throw new Refusal(`The singular of "${plural}" has to be another word than "${plural}".`);
  const { lists, finish } = moduleModel({ plural, singular, state }, { commands: command, internal, fields: field });
  assertFree(root, formsOf(plural), formsOf(singular));
  const written = [...readTemplate('template', `src/${plural}`), ...readTemplate('client', 'packages/client/src')]
    .filter(({ path }) => !path.includes('.fixture.'))
    .flatMap(({ path, text }) => {
      const isOfCommand = /blank-(?:close|change)/.test(path);
      const items = isOfCommand ? lists.command.filter(({ token }) => path.includes(token)) : [{ write: (each) => each }];
      return items.map(({ write }) => ({ path: write(path), text: writtenFile(write(text), lists) }));
    })
    .map(async ({ path, text }) => {
      const place = finish(path).replace('.template.ts', '.spec.ts');
      return { path: place, text: await formatted(root, place, inPlace(finish(text))) };
    });
  return [...(await Promise.all(written)), ...Object.entries(LISTS).map(([path, lines]) => listWith(root, path, lines, finish))];
}

/** The imports of a template's file, as they are where it is written. */
function inPlace(text) {
  return text
    .replaceAll("'../../../src/", "'../../")
    .replaceAll("'../../packages/client/src/", "'./")
    .replaceAll("'../../client/document.fixture.js'", "'../../../packages/client/src/index.js'")
    .replaceAll("'./document.fixture.js'", "'./document.js'");
}

/** @throws Refusal for a module of which a folder, the client's file or a name of the documents is there already */
function assertFree(root, many, one) {
  const places = [`src/${many.kebab}`, `src/${one.kebab}`, `packages/client/src/${many.kebab}.ts`];
  const place = places.find((path) => existsSync(join(root, path)));
  if (place) throw new Refusal(`"${many.kebab}" is taken by ${place}: take another name.`);
  const schema = readFileSync(join(root, 'docs/reference/schema.graphql'), 'utf8');
  const { components } = JSON.parse(readFileSync(join(root, 'docs/reference/openapi.json'), 'utf8'));
  const [queries = ''] = /^type Query \{$.*?^\}$/ms.exec(schema) ?? [];
  const named = [...schema.matchAll(/^(?:type|enum|scalar|input|interface|union) (\w+)/gm), ...queries.matchAll(/^ {2}(\w+)(?=[(:])/gm)];
  const described = new Set([...named.map(([, name]) => name), ...Object.keys(components.schemas)]);
  const taken = [many.camel, one.camel, many.pascal, one.pascal, `New${one.pascal}`].find((name) => described.has(name));
  if (taken) throw new Refusal(`"${many.kebab}" is taken: the documents have "${taken}" already; take another name.`);
}

const formOf = (line) => line.replace(/[\w-]+/g, 'name');

function listWith(root, path, lines, finish) {
  const before = readFileSync(join(root, path), 'utf8');
  const text = lines.reduce((list, line) => {
    const place = list.findLastIndex((each) => formOf(each) === formOf(line));
    if (place === -1) throw new Refusal(`${path} has no place for the module: it needs lines such as ${finish(line.trim())}`);
    return list.toSpliced(place + 1, 0, finish(line));
  }, before.split('\n'));
  return { path, before, text: text.join('\n') };
}
