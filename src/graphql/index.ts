import { domainModule } from '#libs/http';
import { graphqlModule, graphqlSettings, type GraphqlContext } from './graphql.module.js';

export { installGraphiql } from './graphiql.js';

/** The query schema, made of the resolvers of all modules. */
export const graphql = domainModule<GraphqlContext, typeof graphqlSettings>({
  name: 'graphql',
  settings: graphqlSettings,
  configuredModule: graphqlModule,
  scopes: { graphql: { description: 'the query schema at `/graphql`' } },
});
