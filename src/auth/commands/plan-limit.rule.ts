import { IsInt, IsOptional, Max, Min } from 'class-validator';

const LARGEST_LIMIT = 1_000_000_000;

/** An agreed limit of an enterprise key: a whole number from 1 to 1,000,000,000, or left out. */
export function IsPlanLimit(): PropertyDecorator {
  const message = `$property must be a whole number from 1 to ${LARGEST_LIMIT}`;
  const rules = [IsOptional(), IsInt({ message }), Min(1, { message }), Max(LARGEST_LIMIT, { message })];
  return (target, property) => {
    for (const rule of rules) rule(target, property);
  };
}
