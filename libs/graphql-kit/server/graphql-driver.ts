import { ApolloServer, type BaseContext } from '@apollo/server';
import { Injectable } from '@nestjs/common';
import { ApolloDriver, type ApolloDriverConfig } from '@nestjs/apollo';
import type { RevisionOf } from '#libs/api-kit';
import type { FastifyInstance } from 'fastify';
import { checkArguments } from '../arguments/storable-arguments.js';
import { CachedResults } from '../caching/cached-results.js';
import { guardFields } from '../guards/guarded-fields.js';
import { addGraphqlRoute } from './graphql-route.js';

/** What Apollo's driver takes, and how results are cached. */
export interface GraphqlDriverConfig extends ApolloDriverConfig {
  readonly revisionOf: RevisionOf;
  /** What a key needs for the whole schema. */
  readonly scope: string;
  /** The scopes that a key can have, for fields that ask for one more. */
  readonly scopes: ReadonlySet<string>;
}

/** Nest's driver for Apollo Server with a route of our own, which keeps the HTTP contract of the service. */
@Injectable()
export class GraphqlDriver extends ApolloDriver {
  protected override async registerFastify(options: GraphqlDriverConfig): Promise<void> {
    const { path = '/graphql', schema, typeDefs: _typeDefs, resolvers: _resolvers, revisionOf, scope, scopes, ...settings } = options;
    if (!schema) throw new TypeError('The driver is started with a schema.');
    checkArguments(schema);
    guardFields(schema, scopes);
    const server: ApolloServer = new ApolloServer<BaseContext>({ ...settings, schema });
    await server.start();
    // Apollo imports it with the first document, when a service that runs may have been built anew, without the file that it knows of.
    await import('graphql');
    const instance = this.httpAdapterHost.httpAdapter.getInstance<FastifyInstance>();
    addGraphqlRoute(instance, { path, scope, server, cached: new CachedResults(revisionOf) });
    this.apolloServer = server;
  }
}
