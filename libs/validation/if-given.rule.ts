import { ValidateIf } from 'class-validator';

/** The other rules of the property count only where it is not undefined; unlike `IsOptional`, null is not let through. */
export function IfGiven(): PropertyDecorator {
  return ValidateIf((_object: object, value: unknown) => value !== undefined);
}
