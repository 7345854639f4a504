import { ValidateIf } from 'class-validator';

/** The other rules of the property count only where it is neither undefined nor null: a member that null takes away (RFC 7396). */
export function Removable(): PropertyDecorator {
  return ValidateIf((_object: object, value: unknown) => value !== undefined && value !== null, { context: { nullable: true } });
}
