import { assertValid, IsInt64, IsText, IsTime } from '../validation/rules.js';
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
    expect(() => read({ name: 'Rex', id: 1 })).toThrow(/^"id" is not a field of a renaming, which takes name\.$/);
    expect(() => read({ id: 1 })).toThrow(/^name is missing: it must be [^;]*; "id" is not a field of a renaming, which takes name\.$/);
  });
});

describe('a time in a body', () => {
  class Appointment {
    @IsTime()
    readonly startsAt!: Date;
  }
  const readAppointment = bodyReader({ type: Appointment, noun: 'an appointment' });
  const refused = (startsAt: unknown) =>
    expect(() => assertValid(Object.assign(new Appointment(), readAppointment({ startsAt })))).toThrow(
      'startsAt must be a time as RFC 3339 writes it, such as 2026-06-01T12:00:00Z',
    );

  it.each([
    ['2026-06-01T12:00:00Z', '2026-06-01T12:00:00.000Z'],
    ['2028-02-29t23:59:59.123456789+02:00', '2028-02-29T21:59:59.123Z'],
  ])('is a Date: %s', (startsAt, time) => {
    expect(readAppointment({ startsAt })).toEqual({ startsAt: new Date(time) });
  });

  it('is refused in another form, naming the member and what would be right', () => {
    for (const other of ['2026-06-01', '2026-06-01T12:00:00', '2026-02-30T12:00:00Z', 'tomorrow', '', null, true]) {
      refused(other);
    }
  });
});

describe('an optional body', () => {
  const readName = bodyReader({ type: RenameThing, noun: 'a renaming', without: ['id'], optional: true });
  const readNothing = bodyReader({ type: RenameThing, noun: 'this request', without: ['id', 'name'], optional: true });

  it('counts as one without members', () => {
    expect(readName(undefined)).toEqual({ name: undefined });
    expect(readNothing(undefined)).toEqual({});
    expect(readNothing({})).toEqual({});
  });

  it('is refused if it is no object', () => {
    expect(() => readName(null)).toThrow('The body must be a JSON object with name, or be omitted.');
    expect(() => readNothing([])).toThrow('The body must be a JSON object with no fields, or be omitted.');
    expect(() => readNothing({ name: 'Rex' })).toThrow(/^"name" is not a field of this request, which takes none\.$/);
    expect(() => read(undefined)).toThrow('The body must be a JSON object with name.');
  });
});
