export { graphqlModule } from './graphql.module.js';
export { installGraphiql } from './install-graphiql.js';
export { renderSchema } from './render-schema.js';
