import { assertStorable } from '#libs/validation';
import { defaultFieldResolver, isIntrospectionType, isObjectType, type GraphQLSchema } from 'graphql';

/**
 * Holds the arguments of every field of the schema to the rule for text, however they are written: in literals, variables and
 * defaults, in lists and input objects. The refusal is one of the field, as that of its other arguments.
 */
export function checkArguments(schema: GraphQLSchema): void {
  const types = Object.values(schema.getTypeMap()).filter((type) => isObjectType(type) && !isIntrospectionType(type));
  for (const field of types.flatMap((type) => (isObjectType(type) ? Object.values(type.getFields()) : []))) {
    if (field.args.length === 0) continue;
    const { resolve = defaultFieldResolver } = field;
    field.resolve = (source, given: object, context, info): unknown => {
      assertStorable(given, 'invalid_parameter');
      return resolve(source, given, context, info);
    };
  }
}
