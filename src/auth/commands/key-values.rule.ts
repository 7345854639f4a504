import { IsIn } from 'class-validator';
import { createRule } from '#libs/http';
import { byLimit, LIMIT_NAMES, MAX_LIMIT, PLANS } from '../domain/plans.js';

const MOST_SCOPES = 100;

/** The property is a plan. */
export function IsPlan(): PropertyDecorator {
  return IsIn(PLANS, { message: `$property must be one of ${PLANS.join(', ')}` });
}

/** The property is a list of scopes, at least one and each once; `Scopes` tells whether they exist. */
export function IsListOfScopes(): PropertyDecorator {
  return createRule({
    name: 'isListOfScopes',
    schema: {
      type: 'array',
      items: { type: 'string', minLength: 1, maxLength: 100, pattern: '^[a-z:-]+$' },
      minItems: 1,
      maxItems: MOST_SCOPES,
      uniqueItems: true,
    },
    isValid: (value) =>
      Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === 'string') && new Set(value).size === value.length,
    expected: 'must be an array of scopes, at least one and each once',
  });
}

/** The property is an object with the limit of each window, whole numbers from 1. @param partial whether one of them is enough */
export function IsLimits({ partial }: { readonly partial: boolean }): PropertyDecorator {
  const limit = (text: string) => ({ type: 'integer', format: 'int32', minimum: 1, maximum: MAX_LIMIT, description: text });
  const isLimit = (value: unknown) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MAX_LIMIT;
  return createRule({
    name: 'isLimits',
    schema: {
      type: 'object',
      additionalProperties: false,
      ...(!partial && { required: LIMIT_NAMES }),
      properties: byLimit(({ name }) => limit(`Requests in a UTC ${name}.`)),
    },
    isValid: (value) => {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
      const given = Object.entries(value);
      return (
        given.every(([name, each]) => LIMIT_NAMES.some((known) => known === name) && isLimit(each)) &&
        (partial || given.length === LIMIT_NAMES.length)
      );
    },
    expected: `must be an object with ${LIMIT_NAMES.join(partial ? ' or ' : ' and ')}, whole numbers from 1 to ${MAX_LIMIT}`,
  });
}
