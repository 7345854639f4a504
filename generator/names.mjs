import { Script } from 'node:vm';
import pluralize from 'pluralize';
import { Refusal } from './refusal.mjs';

const LONGEST_NAME = 40;
const NAME = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;
const PAST_TENSE =
  /(?:ed|begun|bought|broken|brought|built|caught|chosen|cut|done|drawn|fallen|forgotten|found|frozen|given|gone|grown|held|hidden|hurt|kept|known|laid|left|lent|lost|made|met|paid|put|read|run|seen|sent|set|sold|spent|split|spoken|stolen|swept|taken|thrown|told|torn|understood|withdrawn|won|worn|written)$/;
const NO_IMPERATIVE = /(?:ied|[^e]ed|ing)$/;
const IMPERATIVES = new Set(['bring', 'embed', 'ping', 'ring', 'shed', 'string']);

/** @throws Refusal unless the name is kebab-case and not too long. */
export function checkForm(name) {
  if (NAME.test(name) && name.length <= LONGEST_NAME) return;
  throw new Refusal(
    `${JSON.stringify(name)} is no name: take lower-case words joined by hyphens, at most ${LONGEST_NAME} characters, such as "adoption-events".`,
  );
}

/**
 * The name of one of what a module's plural name stands for.
 * @param given what to take instead of the grammar's
 * @throws Refusal for a name that is no plural, or whose singular is the same word
 */
export function singularOf(plural, given) {
  if (given !== undefined) {
    checkForm(given);
    if (given !== plural) return given;
    throw new Refusal(`The singular of "${plural}" has to be another word than "${plural}", such as --singular ${plural}-item.`);
  }
  const [, before, last] = /^(.*-)?(.+)$/.exec(plural);
  const singular = pluralize.singular(last);
  if (singular !== last && pluralize.plural(singular) === last) return `${before ?? ''}${singular}`;
  const right = pluralize.plural(last);
  throw new Refusal(
    right === last
      ? `The singular of "${plural}" is not known: name it, such as --singular ${plural}-item.`
      : `"${plural}" is no plural, by which modules are named: take "${before ?? ''}${right}", or name its singular by --singular.`,
  );
}

/** @throws Refusal unless the last word says that something has happened. */
export function checkPastTense(name) {
  checkForm(name);
  if (!PAST_TENSE.test(name.split('-').at(-1))) {
    throw new Refusal(`"${name}" does not say what has happened: an event ends in the past tense, such as "shelter-closed".`);
  }
}

/** @throws Refusal for a first word that does not say what to do. */
export function checkImperative(name) {
  checkForm(name);
  const [verb] = name.split('-');
  if (NO_IMPERATIVE.test(verb) && !IMPERATIVES.has(verb)) {
    throw new Refusal(`"${name}" does not say what to do: a command begins with an imperative, such as "close-shelter".`);
  }
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
  };
}

/** Whether JavaScript takes the word for itself: it cannot name a variable, or every object has a property of that name. */
export function isReserved(word) {
  if (word in {}) return true;
  try {
    // Everything that is reserved anywhere is reserved there.
    new Script(`async function* reserved() { 'use strict'; const ${word} = 0; }`);
    return false;
  } catch {
    return true;
  }
}

function capitalised(word) {
  return word[0].toUpperCase() + word.slice(1);
}
