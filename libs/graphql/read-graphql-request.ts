import { parseJson, readTexts, type JsonValue, textErrors } from '#libs/http';
import { ApplicationError } from '#libs/observability';
import type { FastifyRequest } from 'fastify';
import { LosslessNumber } from 'lossless-json';

const MEMBERS = ['query', 'operationName', 'variables', 'extensions'] as const;

type PlainJson = null | boolean | string | number | readonly PlainJson[] | PlainMap;
type PlainMap = { readonly [name: string]: PlainJson };

/** The members of a request, checked as in section 5 of GraphQL over HTTP. */
export interface GraphqlRequest {
  readonly query: string;
  readonly operationName?: string;
  readonly variables?: PlainMap;
  readonly extensions?: PlainMap;
}

/**
 * Reads the body of a POST or the query string of a GET.
 * @throws ApplicationError `invalid_request` naming what is wrong.
 */
export function readGraphqlRequest(request: FastifyRequest): GraphqlRequest {
  const members = request.method === 'GET' ? membersOfQuery(request) : membersOfBody(request.body);
  const { query, operationName = null, variables = null, extensions = null } = members;
  if (typeof query !== 'string' || query === '') throw invalid('query must be given as a string that is not empty');
  if (operationName !== null && typeof operationName !== 'string') throw invalid('operationName must be a string or null');
  const [mistake] = textErrors('operationName', operationName);
  if (mistake !== undefined) throw invalid(mistake.message);
  return {
    query,
    ...(operationName !== null && { operationName }),
    ...(variables !== null && { variables: readMap('variables', variables) }),
    ...(extensions !== null && { extensions: readMap('extensions', extensions) }),
  };
}

type Members = Partial<Record<(typeof MEMBERS)[number], JsonValue>>;

function membersOfBody(body: unknown): Members {
  if (Array.isArray(body)) throw invalid('the body must be one JSON object; several operations in one request are not taken');
  if (typeof body === 'object' && body !== null && !(body instanceof LosslessNumber)) return body;
  throw invalid('the body must be a JSON object with the member query');
}

function membersOfQuery(request: FastifyRequest): Members {
  const { variables, extensions, ...rest } = readTexts(request.query, MEMBERS);
  return {
    ...rest,
    ...(variables !== undefined && { variables: parsed('variables', variables) }),
    ...(extensions !== undefined && { extensions: parsed('extensions', extensions) }),
  };
}

function parsed(name: string, text: string): JsonValue {
  try {
    return parseJson(text);
  } catch (error) {
    throw error instanceof ApplicationError ? invalid(`${name}: ${error.message}`) : error;
  }
}

function readMap(name: string, value: JsonValue): PlainMap {
  const map = plain(value);
  if (typeof map === 'object' && map !== null && !Array.isArray(map)) return map as PlainMap;
  throw invalid(`${name} must be an object or null`);
}

/** Converts numbers to doubles, or to their text if a double would not hold them: an `ID` takes the digits of an integer. */
function plain(value: JsonValue): PlainJson {
  if (value instanceof LosslessNumber) {
    const number = Number(value.value);
    return Number.isSafeInteger(number) || (Number.isFinite(number) && !Number.isInteger(number)) ? number : value.value;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(plain);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member)]));
}

function invalid(reason: string): ApplicationError {
  return new ApplicationError('invalid_request', `Invalid GraphQL request: ${reason}.`);
}

/** The media types of a response, the one without an `Accept` first. */
export const GRAPHQL_MEDIA_TYPES = ['application/json', 'application/graphql-response+json'] as const;
