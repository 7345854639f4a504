export { graphqlModule, installGraphiql, renderSchema } from './graphql.module.js';
