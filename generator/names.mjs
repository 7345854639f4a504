import pluralize from 'pluralize';

/** Why nothing was generated, in one line that says what would be right. */
export class Refusal extends Error {
  name = 'Refusal';
}

const LONGEST_NAME = 40;
const NAME = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;

/** @throws Refusal unless the name is kebab-case and not too long. */
export function checkName(name) {
  if (NAME.test(name) && name.length <= LONGEST_NAME) return;
  throw new Refusal(
    `${JSON.stringify(name)} is no name: take lower-case words joined by hyphens, at most ${LONGEST_NAME} characters, such as "adoption-events".`,
  );
}

/**
 * The name of one of what a module's plural name stands for.
 * @throws Refusal for a name that is no plural, or whose singular is the same word
 */
export function singularOf(plural) {
  const singular = pluralize.singular(plural);
  if (singular !== plural && pluralize.plural(singular) === plural) return singular;
  throw new Refusal(
    `"${plural}" is no plural, by which modules are named: take one, such as ${plural}-items, or name its singular, such as --singular ${plural}-item.`,
  );
}

/** What a command with a regular verb has done once it is done: `checked-in` for `check-in`. */
export function pastTense(name) {
  const [verb, ...rest] = name.split('-');
  return [regularPastTense(verb), ...rest].join('-');
}

function regularPastTense(verb) {
  if (verb.endsWith('e')) return `${verb}d`;
  if (/[^aeiou]y$/.test(verb)) return `${verb.slice(0, -1)}ied`;
  return /^[^aeiou]*[aeiou][bdgmnprt]$/.test(verb) ? `${verb}${verb.at(-1)}ed` : `${verb}ed`;
}

/** A kebab-case name in all forms in which code and text write it. */
export function formsOf(kebab) {
  const words = kebab.split('-');
  const pascal = words.map(capitalised).join('');
  return {
    kebab,
    camel: pascal[0].toLowerCase() + pascal.slice(1),
    pascal,
    snake: words.join('_'),
    screaming: words.join('_').toUpperCase(),
    prose: words.join(' '),
    sentence: capitalised(words.join(' ')),
  };
}

/** The kebab-case of a name in camel case. */
export function kebabOf(camel) {
  return camel.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** `An appointment`, `a shelter`; by how most such words sound. */
export function withArticle(prose, article) {
  const sounded = /^(?:[aeio]|u(?!ni|se|ti|su)|hour|hono)/.test(prose) && !/^(?:one|eu)/.test(prose) ? `${article}n` : article;
  return `${sounded} ${prose}`;
}

export function capitalised(text) {
  return text[0].toUpperCase() + text.slice(1);
}
