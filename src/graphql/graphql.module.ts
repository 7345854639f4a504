import type { DynamicModule } from '@nestjs/common';
import { GraphQLModule } from '@nestjs/graphql';
import { GraphqlDriver, graphqlOptions, type GraphqlDriverConfig, type GraphqlKitOptions } from '#libs/graphql-kit';
import { ProjectionCatalog, ReadModels } from '#libs/projections';
import { readModelRevisions } from '../read-model-revisions.js';

/** The schema made of the resolvers of all modules, at `/graphql`. */
export function graphqlModule(options: Omit<GraphqlKitOptions, 'revisionOf'>): DynamicModule {
  return GraphQLModule.forRootAsync<GraphqlDriverConfig>({
    driver: GraphqlDriver,
    inject: [ProjectionCatalog, ReadModels],
    useFactory: (catalog: ProjectionCatalog, readModels: ReadModels) =>
      graphqlOptions({ ...options, revisionOf: readModelRevisions(catalog, readModels) }),
  });
}
