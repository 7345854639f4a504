import type { FastifyRequest } from 'fastify';
import {
  defaultFieldResolver,
  getNamedType,
  isInputObjectType,
  isIntrospectionType,
  isObjectType,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLSchema,
} from 'graphql';
import { ApplicationError, invalidParameter } from '#libs/observability';
import { assertStorable } from '#libs/http';

/** Arguments for which null counts as not given: the place, size and order of a page, and a moment. */
const NULLABLE_ARGUMENTS: ReadonlySet<string> = new Set(['first', 'last', 'after', 'before', 'order', 'orderBy', 'asOf']);

/** What the present is. */
interface Present {
  now(): Date;
  /** Returns the time of the newest event, which is later than the clock if that was set back; undefined without events. */
  readNewestTime(): Promise<Date | undefined>;
}

/**
 * Holds the arguments of every field, from literals, variables and defaults, to the rule for text, to the rule that null is no value of a
 * filter, and to the rule that `asOf` is not in the future.
 */
export function checkArguments(schema: GraphQLSchema, present: Present): void {
  for (const field of ownFields(schema)) {
    if (field.args.length === 0) continue;
    if (field.args.some(({ name }) => name === 'asOf')) before(field, (given) => assertNotInFuture(given, present));
    const withoutNull = field.args.filter(refusesNull).map(({ name }) => name);
    before(field, (given) => {
      for (const name of withoutNull) assertWithoutNull(name, given[name], NULLABLE_ARGUMENTS.has(name));
      assertStorable(given);
    });
  }
}

/** Whether an argument is a filter, or an input object, no member of which may be null. */
function refusesNull({ name, type }: GraphQLArgument): boolean {
  return !NULLABLE_ARGUMENTS.has(name) || isInputObjectType(getNamedType(type));
}

/** @throws ApplicationError `invalid_parameter` that names the argument or the member, such as `filter.among[0].from` */
function assertWithoutNull(name: string, value: unknown, isNullable = false): void {
  if (value === null) {
    if (isNullable) return;
    throw invalidParameter(name, 'null', `${name} must not be null; leave it out to get all`);
  }
  if (Array.isArray(value)) value.forEach((item, index) => assertWithoutNull(`${name}[${index}]`, item));
  else if (typeof value === 'object' && !(value instanceof Date)) {
    for (const [member, part] of Object.entries(value)) assertWithoutNull(`${name}.${member}`, part);
  }
}

/** @throws ApplicationError `invalid_parameter`, as a rejection */
function assertNotInFuture({ asOf }: Arguments, present: Present): Promise<void> | undefined {
  if (!(asOf instanceof Date) || asOf <= present.now()) return undefined;
  return present.readNewestTime().then((newest) => {
    const latest = new Date(Math.max(present.now().getTime(), newest?.getTime() ?? 0));
    if (asOf <= latest) return;
    throw invalidParameter('asOf', 'future', `asOf must not be in the future; the clock of the service says ${latest.toISOString()}`);
  });
}

/** Refuses a field whose extensions name a `scope` to keys without that scope; the other fields of the request are answered. */
export function guardFields(schema: GraphQLSchema): void {
  for (const field of ownFields(schema)) {
    const { scope } = field.extensions;
    if (typeof scope !== 'string') continue;
    before(field, (_given, context) => {
      if ((context as { readonly req: FastifyRequest }).req.scopes?.includes(scope)) return;
      throw new ApplicationError('insufficient_scope', `This API key lacks the scope ${scope}; use a key that has it.`);
    });
  }
}

type Field = GraphQLField<unknown, unknown>;
type Arguments = Readonly<Record<string, unknown>>;

/** Returns the fields of the service's own types. */
function ownFields(schema: GraphQLSchema): Field[] {
  const types = Object.values(schema.getTypeMap()).filter(isObjectType);
  return types.filter((type) => !isIntrospectionType(type)).flatMap((type) => Object.values(type.getFields()));
}

/** Makes a field run a check first, which throws or rejects to refuse it. */
function before(field: Field, check: (given: Arguments, context: unknown) => Promise<void> | void): void {
  const { resolve = defaultFieldResolver } = field;
  field.resolve = (source, given: Arguments, context, info): unknown => {
    const checked = check(given, context);
    return checked ? checked.then(() => resolve(source, given, context, info)) : resolve(source, given, context, info);
  };
}
