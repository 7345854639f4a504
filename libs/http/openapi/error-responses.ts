import type { ResponseObject, SchemaObject } from '@nestjs/swagger';
import { MAX_FIELD_ERRORS, type ErrorDefinition } from '#libs/observability';
import { generalHeaders, headers, type Headers } from './headers.js';

/** The component's name and further headers of the response with each status that operations describe. */
const RESPONSES = {
  400: ['BadRequest'],
  401: ['Unauthorized', headers('WWW-Authenticate')],
  403: ['Forbidden', headers('WWW-Authenticate')],
  404: ['NotFound'],
  409: ['Conflict', headers('Retry-After-running')],
  410: ['Gone'],
  412: ['PreconditionFailed', headers('ETag-of-some')],
  422: ['IdempotencyKeyReused'],
  429: ['TooManyRequests', headers('Retry-After')],
} as const satisfies Readonly<Record<number, readonly [name: string, further?: Headers]>>;

export type ErrorStatus = keyof typeof RESPONSES;

/** The response with a status that an operation does not name. */
const OTHER_STATUS = 'OtherError';

/** References the response with a status; without one, that of all other statuses. */
export function errorReference(status?: ErrorStatus): { readonly $ref: string } {
  return { $ref: `#/components/responses/${status === undefined ? OTHER_STATUS : RESPONSES[status][0]}` };
}

/** Returns the responses with errors by component name, each with an example of every code. */
export function errorResponses(errors: readonly ErrorDefinition[]): Record<string, ResponseObject> {
  const described = Object.entries<readonly [string, Headers?]>(RESPONSES).map(([status, [name, further]]) => {
    const codes = errors.filter((each) => each.status === Number(status));
    return [name, errorResponse(codes, further)] as const;
  });
  const others = errors.filter(({ status }) => !(status in RESPONSES));
  return {
    ...Object.fromEntries(described),
    [OTHER_STATUS]: errorResponse(others, headers('Retry-After-some', 'Allow', 'Accept', 'Accept-Patch', 'Accept-Encoding')),
  };
}

function errorResponse(codes: readonly ErrorDefinition[], further: Headers = {}): ResponseObject {
  const examples = codes.map(({ code, description: message, status }) => [code, { value: { code, message, status } }] as const);
  return {
    description: codes.map(({ code, description }) => `\`${code}\`: ${description}`).join('\n\n'),
    headers: { ...generalHeaders, ...headers('Link-help'), ...further },
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' }, examples: Object.fromEntries(examples) } },
  };
}

/** Returns the schema of the body of every error. */
export function errorSchema(errors: readonly ErrorDefinition[]): SchemaObject {
  return {
    type: 'object',
    description: 'Why a request was refused.',
    required: ['code', 'message', 'status'],
    additionalProperties: false,
    properties: {
      code: { type: 'string', enum: errors.map(({ code }) => code).sort(), description: 'A stable name of the reason.' },
      message: { type: 'string', description: 'What is wrong, with every field at fault, and what would be right.' },
      status: { type: 'integer', format: 'int32', minimum: 400, maximum: 599, description: 'The HTTP status of the answer.' },
      errors: {
        type: 'array',
        minItems: 1,
        maxItems: MAX_FIELD_ERRORS,
        description: 'Each value that is refused; absent if no single value is.',
        items: {
          type: 'object',
          required: ['field', 'rule', 'message'],
          additionalProperties: false,
          properties: {
            field: { type: 'string', description: 'The name of the member, parameter or header, such as `categoryId` or `limits.perDay`.' },
            rule: { type: 'string', description: 'A word for programs, such as `required`, `unknown`, `repeated`, `int64` or `text`.' },
            message: { type: 'string', description: 'The mistake in this value, and the expected form.' },
          },
        },
      },
    },
  };
}
