import type { DynamicModule, INestApplicationContext } from '@nestjs/common';
import { GraphQLModule, GraphQLSchemaHost } from '@nestjs/graphql';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { EnhancedHandlers, setting, trueOrFalse, type ModuleContext, type SettingValues } from '#libs/http';
import { GraphqlDriver, NodeResolver, renderSdl, serveGraphiql, type GraphqlDriverConfig } from '#libs/graphql';
import { cliCommand, Clock } from '#libs/observability';
import { EventStore, ProjectionCatalog, ReadModels } from '#libs/event-sourcing';
import { readModelRevisions } from './read-model-revisions.js';
import { graphiqlExamples } from './graphiql-examples.js';

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

/** Serves GraphiQL at `/graphiql`. Call it before the application is initialised. */
export function installGraphiql(app: NestFastifyApplication): void {
  serveGraphiql(app, {
    title: 'Animal adoption service: GraphiQL',
    keyCommand: cliCommand('keys create --name tools --scopes pets,graphql'),
    examples: graphiqlExamples,
  });
}

/** Returns the schema of an initialised application as `/graphql/schema` serves it. */
export function renderSchema(app: INestApplicationContext): string {
  return renderSdl(app.get(GraphQLSchemaHost, { strict: false }).schema);
}
