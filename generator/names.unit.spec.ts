import fc from 'fast-check';
import { checkName, formsOf, kebabOf, pastTense, singularOf } from './names.mjs';

const word = fc.stringMatching(/^[a-z][a-z0-9]{0,7}$/);
const name = fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join('-'));

describe('a name', () => {
  it('is of words of lower-case letters and digits, joined by hyphens', () => {
    fc.assert(fc.property(name, (given) => expect(() => checkName(given)).not.toThrow()));
    fc.assert(
      fc.property(fc.string(), (given) => {
        if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(given)) expect(() => checkName(given)).toThrow('lower-case words joined by hyphens');
      }),
    );
  });

  it.each(['', '1a', 'a-', '-a', 'a--b', 'A', 'a_b', 'ä', 'a/b', 'a\n', 'a'.repeat(41)])('is not %j', (given) => {
    expect(() => checkName(given)).toThrow('is no name');
  });

  it('may have 40 characters', () => {
    expect(() => checkName('a'.repeat(40))).not.toThrow();
  });

  it('has a form for each place that it is written in', () => {
    expect(formsOf('adoption-events')).toEqual({
      kebab: 'adoption-events',
      camel: 'adoptionEvents',
      pascal: 'AdoptionEvents',
      snake: 'adoption_events',
      screaming: 'ADOPTION_EVENTS',
      prose: 'adoption events',
      sentence: 'Adoption events',
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
    ['check-in', 'checked-in'],
    ['close', 'closed'],
    ['deny', 'denied'],
    ['play', 'played'],
    ['return', 'returned'],
    ['stop', 'stopped'],
    ['visit', 'visited'],
  ])('of %s is %s', (command, past) => {
    expect(pastTense(command)).toBe(past);
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
    ['shelter', 'is no plural'],
    ['fish', '--singular fish-item'],
    ['news', '--singular news-item'],
  ])('is asked for where %s is given', (plural, refusal) => {
    expect(() => singularOf(plural)).toThrow(refusal);
  });
});
