import { Script } from 'node:vm';
import pluralize from 'pluralize';
import { Refusal } from './refusal.mjs';

const LONGEST_NAME = 40;
const NAME = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;
const PAST_TENSE =
  /(?:ed|begun|bought|broken|brought|built|caught|chosen|cut|done|drawn|fallen|forgotten|found|frozen|given|gone|grown|held|hidden|hurt|kept|known|laid|left|lent|lost|made|met|paid|put|read|run|seen|sent|set|sold|spent|split|spoken|stolen|swept|taken|thrown|told|torn|understood|withdrawn|won|worn|written)$/;
const PAST_TENSES = {
  begin: 'begun',
  break: 'broken',
  bring: 'brought',
  build: 'built',
  buy: 'bought',
  cancel: 'cancelled',
  catch: 'caught',
  choose: 'chosen',
  do: 'done',
  draw: 'drawn',
  fall: 'fallen',
  feed: 'fed',
  find: 'found',
  forget: 'forgotten',
  freeze: 'frozen',
  give: 'given',
  go: 'gone',
  grow: 'grown',
  hide: 'hidden',
  hold: 'held',
  keep: 'kept',
  know: 'known',
  lay: 'laid',
  lead: 'led',
  leave: 'left',
  lend: 'lent',
  lose: 'lost',
  make: 'made',
  meet: 'met',
  pay: 'paid',
  prefer: 'preferred',
  refer: 'referred',
  see: 'seen',
  sell: 'sold',
  send: 'sent',
  speak: 'spoken',
  speed: 'sped',
  spend: 'spent',
  steal: 'stolen',
  submit: 'submitted',
  sweep: 'swept',
  take: 'taken',
  tear: 'torn',
  tell: 'told',
  throw: 'thrown',
  transfer: 'transferred',
  understand: 'understood',
  wear: 'worn',
  win: 'won',
  withdraw: 'withdrawn',
  write: 'written',
};
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
 * @param isTaken whether a plural cannot be suggested
 * @throws Refusal for a name that is no plural, or whose singular is the same word
 */
export function singularOf(plural, given, isTaken = () => false) {
  if (given !== undefined) {
    checkForm(given);
    if (given !== plural) return given;
    throw new Refusal(`The singular of "${plural}" has to be another word than "${plural}", such as --singular ${plural}-item.`);
  }
  const [, before, last] = /^(.*-)?(.+)$/.exec(plural);
  const singular = pluralize.singular(last);
  if (singular !== last && pluralize.plural(singular) === last) return `${before ?? ''}${singular}`;
  const right = `${before ?? ''}${pluralize.plural(last)}`;
  if (right === plural) throw new Refusal(`The singular of "${plural}" is not known: name it, such as --singular ${plural}-item.`);
  const reason = `"${plural}" is no plural, by which modules are named`;
  if (isTaken(right)) throw new Refusal(`${reason}, and "${right}" is taken: take another name, such as "${plural}-visits".`);
  throw new Refusal(`${reason}: take "${right}", or name its singular by --singular.`);
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

/** The kebab-case of a name in camel case. */
export function kebabOf(camel) {
  return camel.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/**
 * What a command has done once it is done: `cancelled` for `cancel`, `checked-in` for `check-in`.
 * @throws Refusal for a verb whose past tense has to be said
 */
export function pastTense(name) {
  const [verb, ...rest] = name.split('-');
  const past = PAST_TENSES[verb] ?? regularPastTense(verb);
  if (PAST_TENSE.test(verb) && !(verb in PAST_TENSES)) {
    throw new Refusal(`The past tense of "${name}" is not known: name it, such as ${name}=${name}.`);
  }
  return [past, ...rest].join('-');
}

function regularPastTense(verb) {
  if (verb.endsWith('e')) return `${verb}d`;
  if (/[^aeiou]y$/.test(verb)) return `${verb.slice(0, -1)}ied`;
  return /^[^aeiou]*[aeiou][bdgmnprt]$/.test(verb) ? `${verb}${verb.at(-1)}ed` : `${verb}ed`;
}

function capitalised(word) {
  return word[0].toUpperCase() + word.slice(1);
}
