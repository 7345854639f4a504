import type { FastifyRequest } from 'fastify';
import { execute, type DocumentNode, type GraphQLSchema, type OperationDefinitionNode } from 'graphql';
import { LRUCache } from 'lru-cache';
import type { CachedResponse } from '#libs/api-kit';
import { excessOfCost } from '../bounds/bounds.plugin.js';
import type { MadeResult } from '../caching/cached-results.js';
import type { GraphqlRequest } from './read-graphql-request.js';

// Each character takes up to 250 bytes once it is parsed, beside what the server keeps itself.
const MOST_CHARACTERS = 100_000;

/** An operation that the server has run without an error, and what it answered with. */
export interface PreparedOperation {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly headers: CachedResponse['headers'];
  readonly readModel: string | undefined;
}

/**
 * Operations that the server has parsed, validated and run before, to be run with other variables by the library of the language alone.
 * Whatever comes out otherwise than well is left to the server, which runs it again and says what is wrong: a schema for reading may be
 * asked twice.
 */
export class PreparedOperations {
  private readonly known = new LRUCache<string, PreparedOperation>({ maxSize: MOST_CHARACTERS, sizeCalculation: (_, name) => name.length });

  remember(request: FastifyRequest, asked: GraphqlRequest, prepared: PreparedOperation): void {
    this.known.set(nameOf(request, asked), prepared);
  }

  /** The result; undefined where the operation is not known or has to be refused, or a field failed. */
  async run(request: FastifyRequest, asked: GraphqlRequest): Promise<MadeResult | undefined> {
    // The server looks at extensions, such as that of persisted queries.
    const prepared = asked.extensions === undefined ? this.known.get(nameOf(request, asked)) : undefined;
    if (!prepared) return undefined;
    const { schema, document, operation, headers, readModel } = prepared;
    const variableValues = asked.variables as Readonly<Record<string, unknown>> | undefined;
    if (excessOfCost(schema, document, operation, variableValues) !== undefined) return undefined;
    const contextValue = { req: request, result: {} };
    const { data, errors } = await execute({ schema, document, operationName: asked.operationName, variableValues, contextValue });
    return errors ? undefined : { response: { content: JSON.stringify({ data }), headers }, readModel };
  }
}

/** All that decides how the server reads a document and forms an answer, beside the variables. */
function nameOf({ method, headers: { accept = '', authorization } }: FastifyRequest, { query, operationName }: GraphqlRequest): string {
  return JSON.stringify([method, accept, authorization !== undefined, operationName, query]);
}
