import type { DynamicModule } from '@nestjs/common';
import { GraphQLModule } from '@nestjs/graphql';
import type { ScopeDefinition } from '#libs/domain-modules';
import { GraphqlDriver, graphqlOptions, type GraphqlDriverConfig, type GraphqlKitOptions } from '#libs/graphql-kit';
import { ProjectionCatalog, ReadModels } from '#libs/projections';
import { readModelRevisions } from '../read-model-revisions.js';

export interface GraphqlSettings {
  readonly graphql: Pick<GraphqlKitOptions, 'introspection'>;
  /** Where failures are told; the schema is not served when left out. */
  readonly graphqlLogger?: GraphqlKitOptions['logger'];
  /** Those that a field may ask for. */
  readonly scopes: ReadonlyMap<string, ScopeDefinition>;
}

/** The schema made of the resolvers of all modules, at `/graphql`. */
export function graphqlModule({ graphql, graphqlLogger, scopes }: GraphqlSettings): DynamicModule | undefined {
  if (!graphqlLogger) return undefined;
  return GraphQLModule.forRootAsync<GraphqlDriverConfig>({
    driver: GraphqlDriver,
    inject: [ProjectionCatalog, ReadModels],
    useFactory: (catalog: ProjectionCatalog, readModels: ReadModels) =>
      graphqlOptions({
        ...graphql,
        logger: graphqlLogger,
        scope: 'graphql',
        scopes: new Set(scopes.keys()),
        revisionOf: readModelRevisions(catalog, readModels),
      }),
  });
}
