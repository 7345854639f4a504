import type { FastifyRequest } from 'fastify';
import {
  execute,
  getOperationAST,
  GraphQLError,
  NoSchemaIntrospectionCustomRule,
  OperationTypeNode,
  parse,
  specifiedRules,
  validate,
  type DocumentNode,
  type ExecutionResult,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { getKeyId, getTraceMembers, ResponseCaches, type CachedResponse, type EnhancedHandlers, type ResponseCache } from '#libs/http';
import type { ReadModels } from '#libs/event-sourcing';
import { coreErrors, type ErrorCode } from '#libs/observability';
import { BOUNDS, findExcessCost, findExcessShape } from './bounds.js';
import { formatError, rootCause, type Phase } from './format-error.js';
import type { GraphqlRequest } from './read-graphql-request.js';
import { findReadModel } from './reads-only.js';

/** Of the names of operations that are kept. A parsed document takes up to 250 bytes a character. */
const MAX_CHARACTERS = 500_000;

export interface OperationsOptions {
  readonly readModels: Pick<ReadModels, 'revision'>;
  /** Whose results are never kept. */
  readonly enhanced: Pick<EnhancedHandlers, 'include'>;
  /** Whether operations may query the schema; if not, no message suggests a name of it either. */
  readonly introspection: boolean;
  /** The log of fields that failed. */
  readonly logger: Logger;
}

/** An operation of a valid document, within all bounds that do not depend on variables. */
interface CheckedOperation {
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  /** The only one that it reads; undefined if its results are not cached. */
  readonly readModel: string | undefined;
}

interface OperationResponse extends CachedResponse {
  readonly status: number;
}

/**
 * Runs operations by graphql-js. Those that passed all checks are kept, and their results too if they read one read model only, as bytes
 * until that changes: making a page of 20 takes 250 µs, finding it 5.
 */
export class Operations {
  private readonly checked = new LRUCache<string, CheckedOperation>({
    maxSize: MAX_CHARACTERS,
    sizeCalculation: (_, name) => name.length,
  });
  private readonly results = new ResponseCaches();

  constructor(
    private readonly schema: GraphQLSchema,
    private readonly options: OperationsOptions,
  ) {}

  /** Returns the cached response, or runs the operation. */
  async respond(request: FastifyRequest, asked: GraphqlRequest): Promise<OperationResponse> {
    try {
      if (asked.extensions && 'persistedQuery' in asked.extensions) throw refusal('PersistedQueryNotSupported');
      const name = JSON.stringify([asked.operationName, asked.query]);
      let operation = this.checked.get(name);
      if (!operation) this.checked.set(name, (operation = this.check(request, asked)));
      const cache = await this.findCache(operation);
      // A field may require a scope.
      const resultName = `${name}${JSON.stringify([request.responseMediaType, request.scopes, asked.variables])}`;
      const cached = cache?.get(resultName);
      if (cached) return { status: 200, ...cached };
      const result = await this.run(operation, request, asked);
      const response = this.write(request, result, 'run');
      if (!result.errors) cache?.set(resultName, response);
      return response;
    } catch (error) {
      const errors: readonly unknown[] = error instanceof AggregateError ? error.errors : [error];
      if (!errors.every((each) => each instanceof GraphQLError)) throw error;
      return this.write(request, { errors }, 'check');
    }
  }

  /** @throws GraphQLError, or an AggregateError of several, if the operation must not run */
  private check({ method }: FastifyRequest, { query, operationName }: GraphqlRequest): CheckedOperation {
    const { schema, options } = this;
    const document = parse(query, { maxLexicalTokens: BOUNDS.tokens });
    const excess = findExcessShape(schema, document);
    if (excess !== undefined) throw refusal(excess);
    const rules = [...specifiedRules, ...(options.introspection ? [] : [NoSchemaIntrospectionCustomRule])];
    const mistakes = validate(schema, document, rules, { maxErrors: BOUNDS.mistakes, hideSuggestions: !options.introspection });
    if (mistakes.length > 0) throw new AggregateError(mistakes);
    const operation = getOperationAST(document, operationName);
    if (!operation) throw refusal('The document has several operations or none: operationName must name one of them.');
    if (operation.operation !== OperationTypeNode.QUERY) {
      throw refusal(
        `This schema is for reading: it has no ${operation.operation}.`,
        method === 'GET' ? 'method_not_allowed' : 'invalid_request',
      );
    }
    return { document, operation, readModel: findReadModel(schema, document, operation, options.enhanced) };
  }

  /** Undefined if the result is not cached, or if the database cannot be asked, which the result then reports. */
  private async findCache({ readModel }: CheckedOperation): Promise<ResponseCache | undefined> {
    if (readModel === undefined) return undefined;
    return this.options.readModels.revision(readModel).then(
      (revision) => this.results.at(readModel, revision),
      () => undefined,
    );
  }

  /** @throws GraphQLError if the operation costs too much with these variables */
  private run({ document, operation }: CheckedOperation, request: FastifyRequest, { operationName, variables }: GraphqlRequest) {
    const { schema, options } = this;
    const excess = findExcessCost(schema, document, operation, variables);
    if (excess !== undefined) throw refusal(excess);
    const asked = { operationName, variableValues: variables, contextValue: { req: request } };
    return execute({ schema, document, ...asked, hideSuggestions: !options.introspection });
  }

  /**
   * Writes a response. Its status is 503 if the database could not be asked, so that every client and proxy tries again. Of a request without
   * a result it is 200 in `application/json` and 400 in `application/graphql-response+json` (GraphQL over HTTP, section 6.4).
   */
  private write(request: FastifyRequest, { data, errors: thrown }: ExecutionResult, phase: Phase): OperationResponse {
    const mediaType = request.responseMediaType;
    const headers = { 'content-type': `${mediaType}; charset=utf-8` };
    const errors = thrown?.map((error) => {
      const formatted = formatError(error, phase);
      if (formatted.extensions.code === 'internal_error') this.log(error, request);
      return formatted;
    });
    const content = JSON.stringify({ errors, data });
    const has = (code: ErrorCode) => errors?.some(({ extensions }) => extensions.code === code);
    if (has('service_unavailable')) {
      return { status: coreErrors.service_unavailable.status, headers: { ...headers, 'retry-after': '1' }, content };
    }
    if (has('method_not_allowed')) return { status: coreErrors.method_not_allowed.status, headers: { ...headers, allow: 'POST' }, content };
    return { status: data === undefined && mediaType !== 'application/json' ? 400 : 200, headers, content };
  }

  /** Logs a failure of the service, without the query and its variables. */
  private log(error: GraphQLError, request: FastifyRequest): void {
    const members = { requestId: request.id, keyId: getKeyId(request), ...getTraceMembers(request) };
    this.options.logger.error({ err: rootCause(error), ...members }, 'GraphQL field failed');
  }
}

/** Refuses a request as a whole, before any of its fields runs. */
function refusal(message: string, code: ErrorCode = 'invalid_request'): GraphQLError {
  return new GraphQLError(message, { extensions: { code } });
}
