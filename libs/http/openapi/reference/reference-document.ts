import type { OpenAPIObject, OperationObject, PathItemObject } from '@nestjs/swagger';
import { ERRORS_PAGE } from '../../errors/error.filter.js';

/**
 * Returns the copy of the document that the reference page draws. Its requests go to the host of the page. The error responses of an
 * operation, nearly the same everywhere, are one. Patterns, the contact and the licence are omitted.
 */
export function referenceDocument(source: OpenAPIObject, prefix: string): OpenAPIObject {
  const paths = Object.entries(source.paths).map(([path, item]): [string, PathItemObject] => [path, withJoinedErrors(item)]);
  const { contact: _contact, license: _license, ...info } = source.info;
  const document = { ...source, info, servers: [{ url: prefix }], paths: Object.fromEntries(paths) };
  return JSON.parse(JSON.stringify(document, (name, value: unknown) => (name === 'pattern' ? undefined : value))) as OpenAPIObject;
}

function withJoinedErrors(item: PathItemObject): PathItemObject {
  const operations = Object.entries(item as Record<string, OperationObject>);
  return Object.fromEntries(
    operations.map(([method, operation]) => [method, { ...operation, responses: joinErrors(operation.responses) }]),
  );
}

function joinErrors(responses: OperationObject['responses']): OperationObject['responses'] {
  const successes = Object.entries(responses).filter(([status]) => status < '4');
  const description = `An error. Its \`code\` says which: see [all error codes](${ERRORS_PAGE}).`;
  const content = { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } };
  return { ...Object.fromEntries(successes), default: { description, content } };
}
