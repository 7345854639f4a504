import type { DynamicModule, INestApplicationContext } from '@nestjs/common';
import { GraphQLModule, GraphQLSchemaHost } from '@nestjs/graphql';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { printSchema } from 'graphql';
import { setting, trueOrFalse, type ModuleContext, type SettingValues } from '#libs/http';
import { GraphqlDriver, graphqlOptions, serveGraphiql, type GraphqlDriverConfig, type GraphqlKitOptions } from '#libs/graphql';
import { cliCommand } from '#libs/observability';
import { ProjectionCatalog, ReadModels } from '#libs/event-sourcing';
import { readModelRevisions } from './read-model-revisions.js';
import { graphiqlExamples } from './graphiql-examples.js';

export const graphqlSettings = {
  introspection: setting('GRAPHQL_INTROSPECTION', trueOrFalse, {
    description: 'Whether `/graphql` allows introspection, `true` or `false`; if not set, everywhere except in production',
  }),
};

export interface GraphqlContext extends Pick<ModuleContext, 'deployment' | 'scopes'> {
  /** The log of failed fields; the schema is served only if this is given. */
  readonly graphqlLogger?: GraphqlKitOptions['logger'] | undefined;
}

/** Serves the schema made of the resolvers of all modules at `/graphql`. */
export function graphqlModule({
  settings,
  deployment,
  graphqlLogger: logger,
  scopes,
}: GraphqlContext & { readonly settings: SettingValues<typeof graphqlSettings> }): DynamicModule | undefined {
  if (!logger) return undefined;
  return GraphQLModule.forRootAsync<GraphqlDriverConfig>({
    driver: GraphqlDriver,
    inject: [ProjectionCatalog, ReadModels],
    useFactory: (catalog: ProjectionCatalog, readModels: ReadModels) =>
      graphqlOptions({
        introspection: settings.introspection ?? deployment !== 'production',
        logger,
        scope: 'graphql',
        scopes: new Set(scopes.keys()),
        getRevision: readModelRevisions(catalog, readModels),
      }),
  });
}

/** Serves GraphiQL at `/graphiql`. Call it before the application is initialised. */
export function installGraphiql(app: NestFastifyApplication): void {
  serveGraphiql(app, {
    title: 'Animal adoption service: GraphiQL',
    keyCommand: cliCommand('keys create --name tools --scopes pets,graphql'),
    examples: graphiqlExamples,
  });
}

/** Prints the schema of an initialised application in the schema definition language. */
export function renderSchema(app: INestApplicationContext): string {
  return `${printSchema(app.get(GraphQLSchemaHost, { strict: false }).schema)}\n`;
}
