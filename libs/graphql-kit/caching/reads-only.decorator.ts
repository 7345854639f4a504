import { Extensions } from '@nestjs/graphql';
import type { GraphQLField } from 'graphql';

/**
 * Says of a query that its result, with all that can be selected below it, is made from its arguments and one read model alone, so
 * that it may be cached while that does not change. A field below it that reads another one says so too, whereby results that have it
 * are not cached.
 * @param readModel the name of the read model
 */
export function ReadsOnly(readModel: string): MethodDecorator {
  return Extensions({ readModel });
}

/** What `ReadsOnly` said of a field. */
export function readModelOfField({ extensions }: GraphQLField<unknown, unknown>): string | undefined {
  const { readModel } = extensions;
  return typeof readModel === 'string' ? readModel : undefined;
}
