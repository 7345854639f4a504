import { IsInt64, IsText } from '#libs/validation';
import { bodyReader } from './read-body.decorator.js';

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
