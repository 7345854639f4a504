import type { FastifyRequest } from 'fastify';
import { defaultFieldResolver, isIntrospectionType, isObjectType, type GraphQLField, type GraphQLSchema } from 'graphql';
import { ApplicationError } from '#libs/observability';
import { assertStorable } from '#libs/http';

/** Holds the text arguments of every field to the rule for text: in literals, variables, defaults, lists and input objects. */
export function checkArguments(schema: GraphQLSchema): void {
  for (const [, field] of ownFields(schema)) {
    if (field.args.length > 0) before(field, (given) => assertStorable(given, 'invalid_parameter'));
  }
}

/**
 * Refuses a field whose extensions name a `scope` to keys without that scope; the other fields of the request are answered.
 * @param known the scopes that a key can have
 * @throws Error that names each field with an unknown scope
 */
export function guardFields(schema: GraphQLSchema, known: ReadonlySet<string>): void {
  const mistakes: string[] = [];
  for (const [name, field] of ownFields(schema)) {
    const { scope } = field.extensions;
    if (typeof scope !== 'string') continue;
    if (!known.has(scope)) mistakes.push(`The field ${name} requires the scope ${scope}, which no module declares.`);
    before(field, (_given, context) => {
      if ((context as { readonly req: FastifyRequest }).req.context.scopes.includes(scope)) return;
      throw new ApplicationError('insufficient_scope', `This API key lacks the scope ${scope}; use a key that has it.`);
    });
  }
  if (mistakes.length > 0) throw new Error(mistakes.join(' '));
}

type Field = GraphQLField<unknown, unknown>;

/** Returns the fields of the service's own types, with names such as `Pet.orders`. */
function ownFields(schema: GraphQLSchema): [name: string, field: Field][] {
  const types = Object.values(schema.getTypeMap()).filter(isObjectType);
  return types
    .filter((type) => !isIntrospectionType(type))
    .flatMap((type) => Object.values(type.getFields()).map((field): [string, Field] => [`${type.name}.${field.name}`, field]));
}

/** Makes a field run a check first, which throws to refuse it. */
function before(field: Field, check: (given: object, context: unknown) => void): void {
  const { resolve = defaultFieldResolver } = field;
  field.resolve = (source, given: object, context, info): unknown => {
    check(given, context);
    return resolve(source, given, context, info);
  };
}
