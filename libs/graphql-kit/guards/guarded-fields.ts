import { ApplicationError } from '#libs/errors';
import type { FastifyRequest } from 'fastify';
import { defaultFieldResolver, isIntrospectionType, isObjectType, type GraphQLField, type GraphQLSchema } from 'graphql';

/**
 * Gives a field whose extensions name a `scope` to keys that have it; to others it is refused, as other refusals of a field are.
 * @param known the scopes that a key can have
 * @throws Error that names each field which asks for another one
 */
export function guardFields(schema: GraphQLSchema, known: ReadonlySet<string>): void {
  const unknown: string[] = [];
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || isIntrospectionType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      const { scope } = field.extensions;
      if (typeof scope !== 'string') continue;
      if (known.has(scope)) guard(field, scope);
      else unknown.push(`The field ${type.name}.${field.name} requires the scope ${scope}, which no module brings.`);
    }
  }
  if (unknown.length > 0) throw new Error(unknown.join(' '));
}

function guard(field: GraphQLField<unknown, unknown>, scope: string): void {
  const { resolve = defaultFieldResolver } = field;
  field.resolve = (source, given: object, context, info): unknown => {
    if ((context as { readonly req: FastifyRequest }).req.context.scopes.includes(scope)) return resolve(source, given, context, info);
    throw new ApplicationError('insufficient_scope', `This API key lacks the scope ${scope}; use a key that has it.`);
  };
}
