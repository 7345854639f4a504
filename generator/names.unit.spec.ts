import fc from 'fast-check';
import { checkForm, checkImperative, checkPastTense, formsOf, isReserved, kebabOf, pastTense, singularOf } from './names.mjs';

const word = fc.stringMatching(/^[a-z][a-z0-9]{0,7}$/);
const name = fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join('-'));

describe('a name', () => {
  it('is of words of lower-case letters and digits, joined by hyphens', () => {
    fc.assert(fc.property(name, (given) => expect(() => checkForm(given)).not.toThrow()));
    fc.assert(
      fc.property(fc.string(), (given) => {
        if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(given)) expect(() => checkForm(given)).toThrow('lower-case words joined by hyphens');
      }),
    );
  });

  it.each(['', '1a', 'a-', '-a', 'a--b', 'A', 'a_b', 'ä', 'a/b', 'a\n', 'a'.repeat(41)])('is not %j', (given) => {
    expect(() => checkForm(given)).toThrow('is no name');
  });

  it('may have 40 characters', () => {
    expect(() => checkForm('a'.repeat(40))).not.toThrow();
  });

  it('has a form for each place that it is written in', () => {
    expect(formsOf('adoption-events')).toEqual({
      kebab: 'adoption-events',
      camel: 'adoptionEvents',
      pascal: 'AdoptionEvents',
      snake: 'adoption_events',
      screaming: 'ADOPTION_EVENTS',
      prose: 'adoption events',
    });
  });
});

describe('a name in camel case', () => {
  it('has its words in kebab-case', () => {
    expect(['name', 'petId', 'startsAt'].map(kebabOf)).toEqual(['name', 'pet-id', 'starts-at']);
  });
});

describe('the past tense of a command', () => {
  it.each([
    ['add', 'added'],
    ['book', 'booked'],
    ['cancel', 'cancelled'],
    ['check-in', 'checked-in'],
    ['close', 'closed'],
    ['deny', 'denied'],
    ['lend', 'lent'],
    ['play', 'played'],
    ['return', 'returned'],
    ['stop', 'stopped'],
    ['visit', 'visited'],
  ])('of %s is %s', (command, past) => {
    expect(pastTense(command)).toBe(past);
  });

  it.each(['put', 'read', 'set'])('of %s has to be named', (command) => {
    expect(() => pastTense(command)).toThrow(`such as ${command}=${command}`);
  });
});

describe('the singular of a module', () => {
  it.each([
    ['shelters', 'shelter'],
    ['categories', 'category'],
    ['boxes', 'box'],
    ['people', 'person'],
    ['adoption-events', 'adoption-event'],
    ['foster-families', 'foster-family'],
  ])('of %s is %s', (plural, singular) => {
    expect(singularOf(plural)).toBe(singular);
  });

  it.each([
    ['shelter', 'take "shelters"'],
    ['adoption-event', 'take "adoption-events"'],
    ['fish', '--singular fish-item'],
    ['news', '--singular news-item'],
  ])('is asked for where %s is given', (plural, refusal) => {
    expect(() => singularOf(plural)).toThrow(refusal);
  });

  it('is not asked for by a plural that is taken', () => {
    expect(() => singularOf('pet', undefined, (plural) => plural === 'pets')).toThrow(
      '"pets" is taken: take another name, such as "pet-visits"',
    );
  });

  it('is the one that is given', () => {
    expect(singularOf('fish', 'one-fish')).toBe('one-fish');
    expect(() => singularOf('fish', 'fish')).toThrow('another word than "fish"');
    expect(() => singularOf('fish', 'One')).toThrow('is no name');
  });
});

describe('a part of a module', () => {
  it.each(['shelter-closed', 'pet-sold', 'visit-paid-back-withdrawn', 'animal-found'])('is an event in the past tense: %s', (given) => {
    expect(() => checkPastTense(given)).not.toThrow();
  });

  it.each(['shelter-close', 'close-shelter', 'shelter-closing', 'closed-shelter'])('is no event: %s', (given) => {
    expect(() => checkPastTense(given)).toThrow('an event ends in the past tense');
  });

  it.each(['close-shelter', 'feed-pet', 'bring-home', 'embed', 'set-status'])('is a command or query that says what to do: %s', (given) => {
    expect(() => checkImperative(given)).not.toThrow();
  });

  it.each(['closing-shelter', 'closed-shelter', 'applied-change'])('is no command: %s', (given) => {
    expect(() => checkImperative(given)).toThrow('begins with an imperative');
  });
});

describe('a word of JavaScript', () => {
  it.each([
    'class',
    'await',
    'yield',
    'let',
    'static',
    'enum',
    'interface',
    'null',
    'arguments',
    'eval',
    'constructor',
    'toString',
    'hasOwnProperty',
  ])('names nothing: %s', (given) => {
    expect(isReserved(given)).toBe(true);
  });

  it.each(['shelter', 'adoptionEvents', 'of', 'async'])('is free: %s', (given) => {
    expect(isReserved(given)).toBe(false);
  });
});
