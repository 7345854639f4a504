import { JsonNumber } from '../json/parse-json.js';
import { parseInt64, type RuleSchema } from '#libs/validation';

const PLAIN_DIGITS = /^(?:0|-?[1-9]\d{0,15})$/;

/**
 * The value that a member of a body stands for: a number as bigint or number where its rules ask for one. Anything else is left as it
 * is, for the rules to refuse.
 */
export function valueOfMember(given: unknown, schema: RuleSchema): unknown {
  return given instanceof JsonNumber ? (numberOf(given.source, schema) ?? given) : given;
}

/** The same for a query parameter, which is always a text; the items of a list are separated by commas. */
export function valueOfParameter(given: string, schema: RuleSchema): unknown {
  if (schema['type'] === 'array') {
    const items = (schema['items'] ?? {}) as RuleSchema;
    return given.split(',').map((item) => valueOfParameter(item, items));
  }
  if (schema['type'] === 'boolean') return given === 'true' || (given === 'false' ? false : given);
  return numberOf(given, schema) ?? given;
}

function numberOf(text: string, { type, format }: RuleSchema): bigint | number | undefined {
  if (type === 'integer' && format === 'int64') return parseInt64(text);
  if (type === 'integer') return PLAIN_DIGITS.test(text) ? Number(text) : undefined;
  if (type === 'number') return text.trim() === '' || !Number.isFinite(Number(text)) ? undefined : Number(text);
  return undefined;
}
