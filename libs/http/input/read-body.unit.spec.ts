import { assertValid, IsInt64, IsText, IsTime } from '../validation/rules.js';
import { bodyReader } from './read-request.js';

class RenameThing {
  @IsInt64()
  readonly id!: bigint;

  @IsText(9)
  readonly name!: string;
}

class Appointment {
  @IsTime()
  readonly startsAt!: Date;
}

describe('the body of a command', () => {
  const read = bodyReader({ type: RenameThing, noun: 'a renaming', without: ['id'] });
  const readName = bodyReader({ type: RenameThing, noun: 'a renaming', without: ['id'], optional: true });
  const readNothing = bodyReader({ type: RenameThing, noun: 'this request', without: ['id', 'name'], optional: true });

  it('has the members that are not in the path, and is refused with one that is', () => {
    expect(read({ name: 'Rex' })).toEqual({ name: 'Rex' });
    expect(() => read({ id: 1 })).toThrow(/^name is missing: it must be [^;]*; "id" is not a field of a renaming, which takes name\.$/);
    for (const other of [null, undefined, []]) expect(() => read(other)).toThrow('The body must be a JSON object with name.');
  });

  it('counts as one without members if it is optional and absent, but not if it is no object', () => {
    expect([readName(undefined), readNothing(undefined), readNothing({})]).toEqual([{ name: undefined }, {}, {}]);
    expect(() => readName(null)).toThrow('The body must be a JSON object with name, or be omitted.');
    expect(() => readNothing([])).toThrow('The body must be a JSON object with no fields, or be omitted.');
    expect(() => readNothing({ name: 'Rex' })).toThrow(/^"name" is not a field of this request, which takes none\.$/);
  });

  const readAppointment = bodyReader({ type: Appointment, noun: 'an appointment' });

  it.each([
    ['2026-06-01T12:00:00Z', '2026-06-01T12:00:00.000Z'],
    ['2028-02-29t23:59:59.123456789+02:00', '2028-02-29T21:59:59.123Z'],
  ])('has a time as a Date: %s', (startsAt, time) => {
    expect(readAppointment({ startsAt })).toEqual({ startsAt: new Date(time) });
  });

  it.each(['2026-06-01', '2026-06-01T12:00:00', '2026-02-30T12:00:00Z', 'tomorrow', '', null, true])('refuses the time %j', (startsAt) => {
    expect(() => assertValid(Object.assign(new Appointment(), readAppointment({ startsAt })))).toThrow(
      'startsAt must be a time as RFC 3339',
    );
  });
});
