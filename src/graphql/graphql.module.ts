import type { DynamicModule } from '@nestjs/common';
import { GraphQLModule } from '@nestjs/graphql';
import { setting, trueOrFalse, type ModuleContext, type SettingValues } from '#libs/http';
import { GraphqlDriver, NodeResolver, type GraphqlDriverConfig } from '#libs/graphql';

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
  const introspection = settings.introspection ?? deployment !== 'production';
  const module = GraphQLModule.forRoot<GraphqlDriverConfig>({ driver: GraphqlDriver, introspection, logger, scope: 'graphql' });
  return { ...module, providers: [...(module.providers ?? []), NodeResolver] };
}
