import { IsInt64, IsText } from '../validation/rules.js';
import { bodyReader } from './read-request.js';

class RenameThing {
  @IsInt64()
  readonly id!: bigint;

  @IsText(9)
  readonly name!: string;
}

const read = bodyReader({ type: RenameThing, noun: 'a renaming', without: ['id'] });

describe('the body of a command whose id is in the path', () => {
  it('has the other members', () => {
    expect(read({ name: 'Rex' })).toEqual({ name: 'Rex' });
    expect(() => read(null)).toThrow('The body must be a JSON object with name.');
  });

  it('is refused with the id, without a word about the one in the path', () => {
    expect(() => read({ name: 'Rex', id: 1 })).toThrow(/^"id" is not a field of a renaming, which takes name$/);
    expect(() => read({ id: 1 })).toThrow(/^name must be [^;]*; "id" is not a field of a renaming, which takes name$/);
  });
});

describe('a body that may be left out', () => {
  const readName = bodyReader({ type: RenameThing, noun: 'a renaming', without: ['id'], optional: true });
  const readNothing = bodyReader({ type: RenameThing, noun: 'this request', without: ['id', 'name'], optional: true });

  it('counts as one without members', () => {
    expect(readName(undefined)).toEqual({ name: undefined });
    expect(readNothing(undefined)).toEqual({});
    expect(readNothing({})).toEqual({});
  });

  it('is refused where it is no object', () => {
    expect(() => readName(null)).toThrow('The body must be a JSON object with name, or be left out.');
    expect(() => readNothing([])).toThrow('The body must be a JSON object with no fields, or be left out.');
    expect(() => readNothing({ name: 'Rex' })).toThrow(/^"name" is not a field of this request, which takes none$/);
    expect(() => read(undefined)).toThrow('The body must be a JSON object with name.');
  });
});
