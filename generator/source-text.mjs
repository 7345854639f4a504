import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import ts from 'typescript';
import { formsOf, isReserved } from './names.mjs';
import { Refusal } from './refusal.mjs';

/**
 * Replaces tokens by names, in each form in which code and text write them.
 * @param names each token with the name that takes its place, in kebab-case; a token that holds another one stands before it
 */
export function renaming(names) {
  const replaced = names.flatMap(([token, name]) => {
    const [from, to] = [formsOf(token), formsOf(name)];
    return Object.keys(from).map((form) => [from[form], to[form]]);
  });
  return (text) => replaced.reduce((before, [from, to]) => before.replaceAll(from, to), text);
}

/** A file's text as the project formats it. */
export async function formatted(root, path, text) {
  const filepath = join(root, path);
  return format(text, { ...(await resolveConfig(filepath, { editorconfig: true })), filepath });
}

/**
 * Asserts that no name of the templates becomes one that JavaScript, they or the other sources use: it would mean two things in the code.
 * @throws Refusal naming it
 */
export function assertWordsFree(rename, templates, others = []) {
  const names = new Set(templates.flatMap((text) => [...namesIn(text)]));
  const used = new Set([...names, ...others.flatMap((text) => [...namesIn(text)])]);
  const taken = [...names].map((name) => [name, rename(name)]).find(([name, now]) => now !== name && (used.has(now) || isReserved(now)));
  if (taken) throw new Refusal(`It would be called ${taken[1]} in code, which means something else there: take a name of more words.`);
}

/** The names that a source text gives to something or takes from elsewhere; without names of members. */
function namesIn(text) {
  const source = ts.createSourceFile('template.ts', text, ts.ScriptTarget.Latest, true);
  const found = new Set();
  const visit = (node) => {
    if (ts.isIdentifier(node) && !isMemberName(node)) found.add(node.text);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function isMemberName(node) {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent)) return parent.name === node;
  return (ts.isPropertyAssignment(parent) || ts.isClassElement(parent) || ts.isTypeElement(parent)) && parent.name === node;
}
