import type { DynamicModule, INestApplicationContext } from '@nestjs/common';
import { GraphQLModule, GraphQLSchemaHost } from '@nestjs/graphql';
import {
  EnhancedHandlers,
  setting,
  trueOrFalse,
  type CachedResponsesOptions,
  type GetRevision,
  type ModuleContext,
  type SettingValues,
} from '#libs/http';
import { GraphqlDriver, NodeResolver, renderSdl, type GraphqlDriverConfig } from '#libs/graphql';
import { Clock } from '#libs/observability';
import { EventStore, ProjectionCatalog, ReadModels } from '#libs/event-sourcing';

export const graphqlSettings = {
  introspection: setting('GRAPHQL_INTROSPECTION', trueOrFalse, {
    description:
      'Whether `/graphql` allows introspection, `true` or `false`; if not set, everywhere except in production. `/graphql/schema` is served in any case',
  }),
};

export interface GraphqlContext extends Pick<ModuleContext, 'deployment'> {
  /** The log of failed fields; the schema is served only if this is given. */
  readonly graphqlLogger?: GraphqlDriverConfig['logger'] | undefined;
}

/** Serves the schema made of the resolvers of all modules at `/graphql`, and its text at `/graphql/schema`. */
export function graphqlModule({
  settings,
  deployment,
  graphqlLogger: logger,
}: GraphqlContext & { readonly settings: SettingValues<typeof graphqlSettings> }): DynamicModule | undefined {
  if (!logger) return undefined;
  const module = GraphQLModule.forRootAsync<GraphqlDriverConfig>({
    driver: GraphqlDriver,
    inject: [ProjectionCatalog, ReadModels, Clock, EventStore, EnhancedHandlers],
    useFactory: (catalog: ProjectionCatalog, readModels: ReadModels, clock: Clock, eventStore: EventStore, enhanced: EnhancedHandlers) => ({
      enhanced,
      introspection: settings.introspection ?? deployment !== 'production',
      logger,
      scope: 'graphql',
      getRevision: readModelRevisions(catalog, readModels),
      present: {
        now: () => clock.now(),
        readNewestTime: async () => (await eventStore.readAll({ newestFirst: true, limit: 1 }))[0]?.recordedAt,
      },
    }),
  });
  return { ...module, providers: [...(module.providers ?? []), NodeResolver] };
}

/** Returns the schema of an initialised application as `/graphql/schema` serves it. */
export function renderSchema(app: INestApplicationContext): string {
  return renderSdl(app.get(GraphQLSchemaHost, { strict: false }).schema);
}

/** Returns a function that gives the revision of a read model by the name of its projection. */
function readModelRevisions(catalog: ProjectionCatalog, readModels: ReadModels): GetRevision {
  return (name) => {
    const projection = catalog.find(name);
    return projection ? readModels.current(projection) : Promise.reject(new Error(`There is no read model ${name}.`));
  };
}

/** Returns the options of the response cache: each response holds for one revision of its read model. */
export function cachedResponsesOptions(app: INestApplicationContext): CachedResponsesOptions {
  const getRevision = readModelRevisions(app.get(ProjectionCatalog), app.get(ReadModels));
  return { getRevision, enhanced: app.get(EnhancedHandlers) };
}
