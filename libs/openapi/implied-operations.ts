import type { OperationObject, ParameterObject, PathItemObject, ReferenceObject, ResponseObject } from '@nestjs/swagger';
import { errorReference, errorResponse, GENERAL_REFUSALS, type ErrorStatus } from './error-responses.js';
import { generalHeaders, refusalHeaders } from './headers.js';

/** The path with the operations that the service has without a controller: `HEAD` beside `GET`, and `OPTIONS`. */
export function withImpliedOperations(item: PathItemObject): PathItemObject {
  const described = item.get ?? item.post;
  if (!described) return item;
  return { ...item, ...(item.get && { head: headOperation(item.get) }), options: optionsOperation(described) };
}

function headOperation(get: OperationObject): OperationObject {
  return {
    ...get,
    operationId: `${get.operationId}Head`,
    summary: `${get.summary}, without the body`,
    description: 'Answers with the status and the headers that GET would have.',
    responses: Object.fromEntries(
      Object.entries(get.responses).map(([status, response]) => [status, response && withoutContent(Number(status), response)]),
    ),
  };
}

/** What is shared has content, so it is written out. */
function withoutContent(status: number, response: ResponseObject | ReferenceObject): ResponseObject {
  const { content: _content, ...rest } = '$ref' in response ? errorResponse(status as ErrorStatus) : response;
  return rest;
}

function optionsOperation({ operationId, tags = [], parameters = [] }: OperationObject): OperationObject {
  const inPath = parameters.filter((parameter): parameter is ParameterObject => 'in' in parameter && parameter.in === 'path');
  return {
    operationId: `${operationId}Options`,
    summary: 'The methods of this path',
    description: 'Parameters and a body are not looked at; what is at the path need not exist.',
    tags,
    security: [{ bearerAuth: [] }],
    parameters: inPath.map(({ name }) => ({ name, in: 'path', required: true, schema: { type: 'string' } })),
    responses: {
      204: { description: 'Allow names the methods.', headers: { ...generalHeaders, ...refusalHeaders('Allow') } },
      ...Object.fromEntries([400 as const, ...GENERAL_REFUSALS].map((status) => [status, errorReference(status)])),
    },
  };
}
