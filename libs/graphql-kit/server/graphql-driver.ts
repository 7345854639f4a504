import { ApolloServer, type BaseContext } from '@apollo/server';
import { Injectable } from '@nestjs/common';
import { ApolloDriver, type ApolloDriverConfig } from '@nestjs/apollo';
import type { FastifyInstance } from 'fastify';
import { addGraphqlRoute } from './graphql-route.js';

/** Nest's driver for Apollo Server with a route of our own, which keeps the HTTP contract of the service. */
@Injectable()
export class GraphqlDriver extends ApolloDriver {
  protected override async registerFastify(options: ApolloDriverConfig): Promise<void> {
    const { path = '/graphql', schema, typeDefs: _typeDefs, resolvers: _resolvers, ...settings } = options;
    if (!schema) throw new TypeError('The driver is started with a schema.');
    const server: ApolloServer = new ApolloServer<BaseContext>({ ...settings, schema });
    await server.start();
    const instance = this.httpAdapterHost.httpAdapter.getInstance<FastifyInstance>();
    addGraphqlRoute(instance, { path, server });
    this.apolloServer = server;
  }
}
