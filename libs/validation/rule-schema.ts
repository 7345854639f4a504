import { getMetadataStorage } from 'class-validator';

/** A part of JSON Schema 2020-12, as OpenAPI 3.1 takes it. */
export type RuleSchema = Readonly<Record<string, unknown>>;

/** A class whose properties carry input rules. */
// Its constructor is another matter: a command takes what no rule is about beside the input.
export type InputClass<Input extends object = object> = abstract new (...parts: never[]) => Input;

/** What the rules of a class say of an object, as JSON Schema. */
export interface InputSchema {
  /** By the names of the properties that have rules, in the order of their declaration. */
  readonly properties: Readonly<Record<string, RuleSchema>>;
  readonly required: readonly string[];
}

type Metadata = ReturnType<ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']>[number];

const CONDITION = 'conditionalValidation';

/** What the rules of class-validator say; those of our own bring theirs as `context: { schema }`. */
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

const known = new WeakMap<InputClass, InputSchema>();
const descriptions = new WeakMap<object, Map<string | symbol, RuleSchema>>();

/**
 * What a property is, for readers of the document.
 * @param example a value for samples, where the rules leave open what makes sense
 */
export function Describes(text: string, example?: string): PropertyDecorator {
  return (target, property) => {
    const ofTarget = descriptions.get(target) ?? new Map<string | symbol, RuleSchema>();
    descriptions.set(target, ofTarget.set(property, { description: text, ...(example !== undefined && { examples: [example] }) }));
  };
}

/**
 * What the rules of a class say, so that a document need not say it again.
 * @throws Error for a rule that has no schema, naming class, property and rule
 */
export function schemaOf(type: InputClass): InputSchema {
  const schema = known.get(type) ?? read(type);
  known.set(type, schema);
  return schema;
}

function read(type: InputClass): InputSchema {
  // Those of a base class come last in the storage; they were declared first.
  const rules = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
  const names = [...new Set([...rules.filter(({ target }) => target !== type), ...rules].map(({ propertyName }) => propertyName))];
  const ofName = (name: string) => rules.filter(({ propertyName }) => propertyName === name);
  const properties = names.map((name) => [
    name,
    withNull(ofName(name), Object.assign({}, ...ofName(name).map((rule) => schemaOfRule(type, rule)), described(type, name)) as RuleSchema),
  ]);
  return {
    properties: Object.fromEntries(properties) as Record<string, RuleSchema>,
    required: names.filter((name) => ofName(name).every(({ type: kind }) => kind !== CONDITION)),
  };
}

function schemaOfRule(type: InputClass, { type: kind, name, propertyName, constraints, context }: Metadata): RuleSchema {
  if (kind === CONDITION) return {};
  const { schema } = (context ?? {}) as { readonly schema?: RuleSchema };
  const ofRule = schema ?? SCHEMAS[name ?? kind]?.(...((constraints as readonly unknown[] | undefined) ?? []));
  if (ofRule) return ofRule;
  throw new Error(`The rule ${name ?? kind} of ${type.name}.${propertyName} has no JSON schema: give it one as context: { schema: … }.`);
}

/** A member that null takes away may be null too. */
function withNull(rules: readonly Metadata[], schema: RuleSchema): RuleSchema {
  const isNullable = rules.some(({ context }) => (context as { readonly nullable?: true } | undefined)?.nullable);
  return isNullable ? { ...schema, type: [schema['type'], 'null'] } : schema;
}

function described(type: InputClass, name: string): RuleSchema {
  for (let target = type.prototype as object | null; target; target = Object.getPrototypeOf(target) as object | null) {
    const description = descriptions.get(target)?.get(name);
    if (description) return description;
  }
  return {};
}
