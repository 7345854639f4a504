import 'reflect-metadata';
import { Allow, getMetadataStorage, ValidateBy, ValidateIf, validateSync, ValidationTypes, type ValidationError } from 'class-validator';
import { InvalidValuesError, type FieldError } from '#libs/observability';
import { stringifyJson } from '../json/json.js';
import { expectedTime } from './time.js';

/** A part of JSON Schema 2020-12, as OpenAPI 3.1 takes it. */
export type RuleSchema = Readonly<Record<string, unknown>>;

export const INT64_MIN = -(2n ** 63n);
export const INT64_MAX = 2n ** 63n - 1n;

const PLAIN_INTEGER = /^(?:0|-?[1-9]\d{0,18})$/;
// With nine digits of a second and an offset, the longest that `parseTime` reads.
const MAX_TIME_LENGTH = '2026-06-01T12:00:00.123456789+00:00'.length;
const UNITS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const DURATION = /^(0|[1-9]\d*)([smhd])$/;
const MAX_DURATION_MILLISECONDS = 36_500 * UNITS.d;
// The property White_Space, spelled out for readers of the pattern below whose engine does not know it.
const WHITE_SPACE = String.raw`\u0009-\u000d\u0020\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000`;
// PostgreSQL stores no U+0000, and a lone surrogate cannot be written in UTF-8.
const UNSTORABLE = String.raw`\u0000\ud800-\udfff`;
// A character outside the Basic Multilingual Plane, for engines that match UTF-16 code units.
const PAIR = String.raw`[\ud800-\udbff][\udc00-\udfff]`;

/** A regular expression of ECMA-262, with or without the flag `u`, for the texts that `IsText` accepts, whatever their length. */
export const TEXT_PATTERN = `^[${WHITE_SPACE}]*(?:[^${WHITE_SPACE}${UNSTORABLE}]|${PAIR})(?:[^${UNSTORABLE}]|${PAIR})*$`;

const onlyWhiteSpace = new RegExp(`^[${WHITE_SPACE}]*$`, 'u');
const unstorable = new RegExp(`[${UNSTORABLE}]`, 'u');

type Metadata = ReturnType<ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']>[number];

const SECRET = Symbol('property that no message quotes');
const MAX_QUOTED = 40;

/** The schemas of class-validator's rules; own rules bring theirs as `context: { schema }`. */
const SCHEMAS: Readonly<Record<string, (...constraints: readonly unknown[]) => RuleSchema>> = {
  isString: () => ({ type: 'string' }),
  minLength: (minLength) => ({ minLength }),
  maxLength: (maxLength) => ({ maxLength }),
  matches: (pattern) => ({ pattern: pattern instanceof RegExp ? pattern.source : pattern }),
  isIn: (values) => ({ type: 'string', enum: values }),
  isInt: () => ({ type: 'integer' }),
  isNumber: () => ({ type: 'number' }),
  min: (minimum) => ({ minimum }),
  max: (maximum) => ({ maximum }),
  isBoolean: () => ({ type: 'boolean' }),
};

const schemas = new WeakMap<InputClass, ReturnType<typeof createSchema>>();

/** A class whose properties have input rules; its constructor may take more than the input. */
export type InputClass<Input extends object = object> = abstract new (...parts: never[]) => Input;

/** A rule of class-validator that brings its JSON schema. */
export interface Rule {
  readonly name: string;
  readonly schema: RuleSchema;
  readonly isValid: (value: unknown, object: unknown) => boolean;
  /** What would be right instead of a value, to follow the name of the property: `must be …`. */
  readonly expected: string | ((value: unknown) => string);
  /** Replaces the name of the property and `expected`. */
  readonly message?: string | undefined;
}

/** Returns the decorator of a rule. */
export function createRule({ name, schema, isValid, expected, message }: Rule): PropertyDecorator {
  const describe = typeof expected === 'string' ? () => expected : expected;
  const defaultMessage = (argument?: { readonly property: string; readonly value: unknown }): string =>
    message ?? `${argument?.property ?? 'value'} ${describe(argument?.value)}`;
  const validate = (value: unknown, argument?: { readonly object: object }): boolean => isValid(value, argument?.object);
  return ValidateBy({ name, validator: { validate, defaultMessage } }, { context: { schema } });
}

/** The other rules of the property apply only if it is not undefined; unlike with `IsOptional`, null is not accepted. */
export function IfGiven(): PropertyDecorator {
  return ValidateIf((_object: object, value: unknown) => value !== undefined);
}

/** The other rules of the property apply only if it is neither undefined nor null: null removes the member (RFC 7396). */
export function IsNullable(): PropertyDecorator {
  return ValidateIf((_object: object, value: unknown) => value !== undefined && value !== null, { context: { nullable: true } });
}

/** The property is a bigint within int64. */
export function IsInt64(): PropertyDecorator {
  return createRule({
    name: 'isInt64',
    schema: { type: 'integer', format: 'int64' },
    isValid: (value) => typeof value === 'bigint' && value >= INT64_MIN && value <= INT64_MAX,
    expected: `must be an integer from ${INT64_MIN} to ${INT64_MAX}, written in plain digits`,
  });
}

/**
 * The property is a list of 1 to `most` bigints, each from `minimum` to the greatest int64. In a query they are separated by commas.
 * @param minimum default: the smallest int64
 */
export function IsInt64List(most: number, minimum = INT64_MIN): PropertyDecorator {
  const isItem = (value: unknown): boolean => typeof value === 'bigint' && value >= minimum && value <= INT64_MAX;
  const items = { type: 'integer', format: 'int64', ...(minimum > INT64_MIN && { minimum: Number(minimum) }) };
  return createRule({
    name: 'isInt64List',
    schema: { type: 'array', minItems: 1, maxItems: most, items },
    isValid: (value) => Array.isArray(value) && value.length >= 1 && value.length <= most && value.every(isItem),
    expected: `must be an integer from ${minimum} to ${INT64_MAX} in plain digits, or up to ${most} of them separated by commas`,
  });
}

/**
 * The property is a whole number from `minimum` to `maximum`.
 * @param message replaces the default message
 */
export function IsWholeNumber(minimum: number, maximum: number, message?: string): PropertyDecorator {
  return createRule({
    name: 'isWholeNumber',
    schema: { type: 'integer', format: 'int32', minimum, maximum },
    isValid: (value) => Number.isInteger(value) && Number(value) >= minimum && Number(value) <= maximum,
    expected: `must be a whole number from ${minimum} to ${maximum}`,
    message,
  });
}

/** The property is a Date. Bodies and queries give it as `parseTime` reads it. */
export function IsTime(): PropertyDecorator {
  return createRule({
    name: 'isTime',
    schema: { type: 'string', format: 'date-time', maxLength: MAX_TIME_LENGTH },
    isValid: (value) => value instanceof Date && !Number.isNaN(value.getTime()),
    expected: expectedTime,
  });
}

/**
 * The property is a text that `parseDurationText` parses, and is not longer.
 * @param longest such as `7d`
 */
export function IsDuration(longest: string): PropertyDecorator {
  const maximum = parseDurationText(longest) ?? 0;
  return createRule({
    name: 'isDuration',
    schema: { type: 'string', maxLength: `${maximum / UNITS.s}s`.length, pattern: DURATION.source },
    isValid: (value) => typeof value === 'string' && (parseDurationText(value) ?? Infinity) <= maximum,
    expected: `must be a whole number and a unit, such as 0s, 90m or 24h, at most ${longest}`,
  });
}

/** The property is a string of `minimum` to `maximum` Unicode characters (code points), not all White_Space. */
export function IsText(maximum: number, minimum = 1): PropertyDecorator {
  return createRule({
    name: 'isText',
    schema: { type: 'string', minLength: minimum, maxLength: maximum, pattern: TEXT_PATTERN },
    isValid: (value) => isText(value, maximum, minimum),
    expected: expectedText(maximum, minimum),
  });
}

/** Whether `IsText` accepts the value. */
export function isText(value: unknown, maximum: number, minimum = 1): value is string {
  if (typeof value !== 'string' || onlyWhiteSpace.test(value)) return false;
  const { length } = [...value];
  return length >= minimum && length <= maximum;
}

/** What `IsText` accepts, to follow the name of a value. */
export function expectedText(maximum: number, minimum = 1): string {
  return `must be a string of ${minimum} to ${maximum} Unicode characters, not blank`;
}

/**
 * Parses an int64 in plain decimal digits: no sign except a leading `-`, no leading zero, no fraction, no exponent, no `-0`. Returns
 * undefined for anything else, also outside int64.
 */
export function parseInt64(text: string): bigint | undefined {
  if (!PLAIN_INTEGER.test(text)) return undefined;
  const value = BigInt(text);
  return value >= INT64_MIN && value <= INT64_MAX ? value : undefined;
}

/** Returns the milliseconds of a text such as `30s`, `15m`, `24h` or `90d`, at most 36500 days; undefined for anything else. */
export function parseDurationText(text: string): number | undefined {
  const match = DURATION.exec(text);
  const milliseconds = match ? Number(match[1]) * UNITS[match[2] as keyof typeof UNITS] : Number.NaN;
  return milliseconds <= MAX_DURATION_MILLISECONDS ? milliseconds : undefined;
}

/**
 * Returns the errors of the rule for all text from outside: it has no U+0000 and no lone surrogates.
 * @param name the client's name of the value; texts in a list or an object are named after their place
 */
export function textErrors(name: string, value: unknown): FieldError[] {
  if (typeof value === 'string') {
    const code = unstorable.exec(value)?.[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
    if (code === undefined) return [];
    return [{ field: name, rule: 'characters', message: `${name} must be without U+0000 and lone surrogates, but holds U+${code}` }];
  }
  if (Array.isArray(value)) return value.flatMap((item, index) => textErrors(`${name}[${index}]`, item));
  return isPlainObject(value) ? Object.entries(value).flatMap(([member, part]) => textErrors(`${name}.${member}`, part)) : [];
}

/**
 * Checks named values by the rule of `textErrors`.
 * @throws InvalidValuesError `invalid_parameter` that names every wrong text
 */
export function assertStorable(values: object): void {
  assertNone(
    'invalid_parameter',
    Object.entries(values).flatMap(([name, value]) => textErrors(name, value)),
  );
}

/** @throws InvalidValuesError if there are errors */
export function assertNone(code: 'invalid_request' | 'invalid_parameter', errors: readonly FieldError[]): void {
  if (errors.length > 0) throw new InvalidValuesError(code, errors);
}

/**
 * Returns what an object violates of the rules of its class and of the rule for text, which holds for every property: one reason a field,
 * naming it, what would be right and the value.
 * @param names the properties to check. Default: all
 * @param given the values as the caller wrote them. Default: those of the object
 */
export function validationErrors(input: object, names?: ReadonlySet<string>, given: object = input): FieldError[] {
  const all = validateSync(input, { stopAtFirstError: true, forbidUnknownValues: false });
  const violations = names ? all.filter(({ property }) => names.has(property)) : all;
  const errors = violations.map((violation) => toFieldError(input, violation, given));
  for (const [name, value] of Object.entries(input)) {
    if (!violations.some(({ property }) => property === name)) errors.push(...textErrors(name, value));
  }
  return errors;
}

/** A rule is named as class-validator names it, without `is`. */
function toFieldError(input: object, { property: field, value, constraints = {} }: ValidationError, given: object): FieldError {
  const [name = 'valid', message = `${field} is invalid`] = Object.entries(constraints)[0] ?? [];
  if (value !== undefined) {
    const rule = name.replace(/^is([A-Z])/, (_, first: string) => first.toLowerCase());
    return { field, rule, message: `${message}${quoteMember(input, field, given)}` };
  }
  const expected = message.startsWith(`${field} `) ? `it${message.slice(field.length)}` : message;
  return { field, rule: 'required', message: `${field} is missing: ${expected}` };
}

/** The value of the property is a secret, which no message quotes. */
export function Secret(): PropertyDecorator {
  return Reflect.metadata(SECRET, true);
}

function quoteMember(input: object, name: string, given: object = input): string {
  const isQuoted = Object.hasOwn(given, name) && !Reflect.hasMetadata(SECRET, input, name);
  return isQuoted ? quoteGiven(Reflect.get(given, name)) : '';
}

/** Returns the end of a message that refuses a value: the value as JSON, cut after 40 characters. Not for headers and secrets. */
export function quoteGiven(value: unknown): string {
  if (value === undefined) return '';
  return ` (given: ${typeof value === 'string' ? stringifyJson(cut(value)) : cut(stringifyJson(value))})`;
}

function cut(text: string): string {
  const characters = [...text.slice(0, 2 * MAX_QUOTED + 2)];
  return characters.length > MAX_QUOTED ? `${characters.slice(0, MAX_QUOTED).join('')}…` : text;
}

/**
 * Checks an object by the rules of its class.
 * @param further other errors, one a field
 * @throws InvalidValuesError `invalid_request` that names every wrong field and what would be right
 */
export function assertValid(input: object, further: readonly FieldError[] = []): void {
  const quoted = further.map((error) => ({ ...error, message: `${error.message}${quoteMember(input, error.field)}` }));
  assertNone('invalid_request', [...validationErrors(input), ...quoted]);
}

/**
 * Describes a property in the document.
 * @param example a value as a client sends it, for the schema and for samples
 */
export function ApiDescription(text: string, example?: string | number | boolean | readonly (string | number)[]): PropertyDecorator {
  return Allow({ context: { schema: { description: text, ...(example !== undefined && { examples: [example] }) } } });
}

/**
 * Returns the rules of a class as JSON Schema: properties by their names, in the order of their declaration.
 * @throws Error for a rule without a schema, naming class, property and rule
 */
export function getInputSchema(type: InputClass): ReturnType<typeof createSchema> {
  const schema = schemas.get(type) ?? createSchema(type);
  schemas.set(type, schema);
  return schema;
}

/** Returns the names of the properties with rules, in the order of their declaration. */
export function inputNames<Input extends object>(type: InputClass<Input>): readonly (keyof Input & string)[] {
  return Object.keys(getInputSchema(type).properties) as (keyof Input & string)[];
}

/** Returns the members of these names, in this order. */
export function pick<Value extends object, Name extends keyof Value>(value: Value, names: readonly Name[]): Pick<Value, Name> {
  const picked: Partial<Pick<Value, Name>> = {};
  for (const name of names) picked[name] = value[name];
  return picked as Pick<Value, Name>;
}

function createSchema(type: InputClass) {
  // Those of a base class come last in the storage; they were declared first.
  const rules = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
  const ordered = [...rules.filter(({ target }) => target !== type), ...rules];
  const properties: Record<string, RuleSchema> = {};
  const required: string[] = [];
  for (const name of new Set(ordered.map(({ propertyName }) => propertyName))) {
    const ofName = rules.filter(({ propertyName }) => propertyName === name);
    const schema = Object.assign({}, ...ofName.map((rule) => schemaOfRule(type, rule))) as RuleSchema;
    const isNullable = ofName.some(({ context }) => (context as { readonly nullable?: true } | undefined)?.nullable);
    properties[name] = isNullable ? { ...schema, type: [schema['type'], 'null'] } : schema;
    if (ofName.every(({ type: kind }) => kind !== ValidationTypes.CONDITIONAL_VALIDATION)) required.push(name);
  }
  return { properties, required };
}

function schemaOfRule(type: InputClass, { type: kind, name, propertyName, constraints, context }: Metadata): RuleSchema {
  if (kind === ValidationTypes.CONDITIONAL_VALIDATION) return {};
  const { schema } = (context ?? {}) as { readonly schema?: RuleSchema };
  const ofRule = schema ?? SCHEMAS[name ?? kind]?.(...((constraints as readonly unknown[] | undefined) ?? []));
  if (ofRule) return ofRule;
  throw new Error(`The rule ${name ?? kind} of ${type.name}.${propertyName} has no JSON schema: give it one as context: { schema: … }.`);
}

function isPlainObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && [Object.prototype, null].includes(Object.getPrototypeOf(value) as object | null);
}
