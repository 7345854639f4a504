import { applyDecorators } from '@nestjs/common';
import { Extensions } from '@nestjs/graphql';
import type { FastifyRequest } from 'fastify';
import { execute, type DocumentNode, type GraphQLSchema, type OperationDefinitionNode } from 'graphql';
import { LRUCache } from 'lru-cache';
import {
  ResponseCaches,
  type CachedResponse,
  type ResponseCache,
  type EnhancedHandlers,
  type GetRevision,
  KeptResponses,
} from '#libs/http';
import { findExcessCost } from './operation-cost.js';
import type { GraphqlRequest } from './read-graphql-request.js';
import { selectionMeasure, type SelectionRules } from './selection-measure.js';

/** Of the names of known operations. A parsed document takes up to 250 bytes a character. */
const MAX_CHARACTERS = 100_000;

interface Declaration {
  readonly readModel: string;
}

/** An operation that the server ran without errors. */
interface RunOperation {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
}

/** The context of a request to the server. The server copies it, so that what the request learns is an object inside. */
export interface OperationContext {
  readonly req: FastifyRequest;
  /** The operation, once it ran without errors. */
  readonly result: { ran?: RunOperation };
}

/**
 * Operations that the server has parsed, validated and run before, and their results. An operation runs again only in graphql-js, with
 * other variables. If it reads one read model only, its results are cached as bytes until that changes: making a page of 20 takes 250 µs,
 * finding it 5. Whatever fails is left to the server, which runs it again and reports the errors.
 */
export class KnownOperations {
  private readonly operations = new LRUCache<
    string,
    RunOperation & { readonly headers: CachedResponse['headers']; readonly readModel: string | undefined }
  >({ maxSize: MAX_CHARACTERS, sizeCalculation: (_, name) => name.length });
  private readonly results = new ResponseCaches();

  constructor(
    private readonly getRevision: GetRevision,
    private readonly enhanced: Pick<EnhancedHandlers, 'include'>,
  ) {}

  /** Returns the cached response, or runs the operation. */
  async respond(
    request: FastifyRequest,
    asked: GraphqlRequest,
    runOnServer: () => Promise<{ readonly response: CachedResponse; readonly ran: RunOperation | undefined }>,
  ): Promise<CachedResponse> {
    const { query, operationName, variables, extensions } = asked;
    const name = JSON.stringify([request.method, request.headers.accept, operationName, query]);
    // Only the server looks at extensions, such as that of persisted queries.
    const known = extensions === undefined ? this.operations.get(name) : undefined;
    const readModel = known?.readModel;
    const cache = readModel === undefined ? undefined : await this.findCache(readModel);
    // A field may require a scope.
    const resultName = `${name}${JSON.stringify([request.scopes, variables])}`;
    const cached = cache?.get(resultName);
    if (cached) return cached;
    const content = known ? await runAgain(known, request, asked) : undefined;
    if (known && content !== undefined) {
      const response = { content, headers: known.headers };
      cache?.set(resultName, response);
      return response;
    }
    const { response, ran } = await runOnServer();
    if (ran) this.operations.set(name, { ...ran, headers: response.headers, readModel: findReadModel(ran, this.enhanced) });
    return response;
  }

  /** Undefined if the database cannot be asked, which the result then reports. */
  private async findCache(readModel: string): Promise<ResponseCache | undefined> {
    return this.getRevision(readModel).then(
      (revision) => this.results.at(readModel, revision),
      () => undefined,
    );
  }
}

/** Returns the content of the response; undefined if the operation has to be refused or a field failed. */
async function runAgain(
  { schema, document, operation }: RunOperation,
  request: FastifyRequest,
  { operationName, variables }: GraphqlRequest,
): Promise<string | undefined> {
  const variableValues = variables as Readonly<Record<string, unknown>> | undefined;
  if (findExcessCost(schema, document, operation, variableValues) !== undefined) return undefined;
  const contextValue: OperationContext = { req: request, result: {} };
  const { data, errors } = await execute({ schema, document, operationName, variableValues, contextValue });
  return errors ? undefined : JSON.stringify({ data });
}

/**
 * Declares that the result of a query, with everything below it, depends only on its arguments and one read model, so that it may be
 * cached while that does not change. A field below it that reads another read model declares that one; results with it are not cached, and
 * neither are those of a query with a guard, a pipe or an interceptor.
 * @param readModel the name of the read model
 */
export function ReadsOnly(readModel: string): MethodDecorator {
  const declaration: Declaration = { readModel };
  return applyDecorators(Extensions({ readsOnly: declaration }), KeptResponses(declaration));
}

/** Returns the one read model that an operation reads; undefined if it reads several, or a query declares none. */
export function findReadModel(
  { schema, document, operation }: RunOperation,
  enhanced: Pick<EnhancedHandlers, 'include'>,
): string | undefined {
  const queries = schema.getQueryType();
  const rules: SelectionRules<ReadModelNames> = {
    nothing: new Set(),
    combine: (left, right) => new Set([...left, ...right]),
    ofField: ({ name: { value: name } }, below, parent) => {
      const declared = parent?.getFields()[name]?.extensions['readsOnly'] as Declaration | undefined;
      const readModel = declared && !enhanced.include(declared) ? declared.readModel : undefined;
      const isUndeclared = readModel === undefined && (parent !== queries || name === '__typename');
      return new Set([...(isUndeclared ? [] : [readModel]), ...below()]);
    },
  };
  const [first, ...others] = selectionMeasure(document, rules, schema)(operation.selectionSet, queries);
  return others.length === 0 ? first : undefined;
}

/** With undefined for a query that declares none. */
type ReadModelNames = ReadonlySet<string | undefined>;
