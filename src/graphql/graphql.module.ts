import type { DynamicModule } from '@nestjs/common';
import { GraphQLModule } from '@nestjs/graphql';
import { graphqlOptions, type GraphqlKitOptions } from '#libs/graphql-kit';

/** The schema made of the resolvers of all modules, at `/graphql`. */
export function graphqlModule(options: GraphqlKitOptions): DynamicModule {
  return GraphQLModule.forRoot(graphqlOptions(options));
}
