import { getMetadataStorage, validateSync } from 'class-validator';
import { ApplicationError } from '#libs/observability';
import { textErrors, type RuleSchema } from './rules.js';

/** A class whose properties have input rules; its constructor may take more than the input. */
export type InputClass<Input extends object = object> = abstract new (...parts: never[]) => Input;

/** The rules of a class as JSON Schema. */
export interface InputSchema {
  /** By the names of the properties with rules, in the order of their declaration. */
  readonly properties: Readonly<Record<string, RuleSchema>>;
  readonly required: readonly string[];
}

type Metadata = ReturnType<ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']>[number];

const CONDITION = 'conditionalValidation';

/** The schemas of class-validator's rules; own rules bring theirs as `context: { schema }`. */
const SCHEMAS: Readonly<Record<string, (...constraints: readonly unknown[]) => RuleSchema>> = {
  isString: () => ({ type: 'string' }),
  minLength: (minLength) => ({ minLength }),
  maxLength: (maxLength) => ({ maxLength }),
  isLength: (minLength, maxLength) => ({ minLength, ...(maxLength !== undefined && { maxLength }) }),
  matches: (pattern) => ({ pattern: pattern instanceof RegExp ? pattern.source : pattern }),
  isIn: (values) => ({ type: 'string', enum: values }),
  isInt: () => ({ type: 'integer' }),
  isNumber: () => ({ type: 'number' }),
  min: (minimum) => ({ minimum }),
  max: (maximum) => ({ maximum }),
  isBoolean: () => ({ type: 'boolean' }),
};

const schemas = new WeakMap<InputClass, InputSchema>();
const descriptions = new WeakMap<object, Map<string | symbol, RuleSchema>>();

/**
 * Returns what an object violates of the rules of its class and of the rule for text, which holds for every property: one reason a field,
 * naming it and what would be right.
 * @param names the properties to check. Default: all
 */
export function validationErrors(input: object, names?: ReadonlySet<string>): string[] {
  const all = validateSync(input, { stopAtFirstError: true, forbidUnknownValues: false });
  const violations = names ? all.filter(({ property }) => names.has(property)) : all;
  const reasons = violations.map((violation) => Object.values(violation.constraints ?? {})[0] ?? `${violation.property} is invalid`);
  for (const [name, value] of Object.entries(input)) {
    if (!violations.some(({ property }) => property === name)) reasons.push(...textErrors(name, value));
  }
  return reasons;
}

/**
 * Checks an object by the rules of its class.
 * @param further other errors, one reason a field
 * @throws ApplicationError `invalid_request` whose message names every wrong field and what would be right
 */
export function assertValid(input: object, further: readonly string[] = []): void {
  const reasons = [...validationErrors(input), ...further];
  if (reasons.length > 0) throw new ApplicationError('invalid_request', reasons.join('; '));
}

/**
 * Describes a property in the document.
 * @param example a value for samples, if the rules do not show what makes sense
 */
export function ApiDescription(text: string, example?: string): PropertyDecorator {
  return (target, property) => {
    const ofTarget = descriptions.get(target) ?? new Map<string | symbol, RuleSchema>();
    descriptions.set(target, ofTarget.set(property, { description: text, ...(example !== undefined && { examples: [example] }) }));
  };
}

/**
 * Returns the rules of a class as JSON Schema.
 * @throws Error for a rule without a schema, naming class, property and rule
 */
export function getInputSchema(type: InputClass): InputSchema {
  const schema = schemas.get(type) ?? createSchema(type);
  schemas.set(type, schema);
  return schema;
}

function createSchema(type: InputClass): InputSchema {
  // Those of a base class come last in the storage; they were declared first.
  const rules = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
  const ordered = [...rules.filter(({ target }) => target !== type), ...rules];
  const properties: Record<string, RuleSchema> = {};
  const required: string[] = [];
  for (const name of new Set(ordered.map(({ propertyName }) => propertyName))) {
    const ofName = rules.filter(({ propertyName }) => propertyName === name);
    const parts = [...ofName.map((rule) => schemaOfRule(type, rule)), describeMember(type, name)];
    const schema = Object.assign({}, ...parts) as RuleSchema;
    const isNullable = ofName.some(({ context }) => (context as { readonly nullable?: true } | undefined)?.nullable);
    properties[name] = isNullable ? { ...schema, type: [schema['type'], 'null'] } : schema;
    if (ofName.every(({ type: kind }) => kind !== CONDITION)) required.push(name);
  }
  return { properties, required };
}

function schemaOfRule(type: InputClass, { type: kind, name, propertyName, constraints, context }: Metadata): RuleSchema {
  if (kind === CONDITION) return {};
  const { schema } = (context ?? {}) as { readonly schema?: RuleSchema };
  const ofRule = schema ?? SCHEMAS[name ?? kind]?.(...((constraints as readonly unknown[] | undefined) ?? []));
  if (ofRule) return ofRule;
  throw new Error(`The rule ${name ?? kind} of ${type.name}.${propertyName} has no JSON schema: give it one as context: { schema: … }.`);
}

function describeMember(type: InputClass, name: string): RuleSchema {
  for (let target = type.prototype as object | null; target; target = Object.getPrototypeOf(target) as object | null) {
    const description = descriptions.get(target)?.get(name);
    if (description) return description;
  }
  return {};
}
