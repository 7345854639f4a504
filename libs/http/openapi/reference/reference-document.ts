import type { OpenAPIObject, OperationObject, PathItemObject } from '@nestjs/swagger';
import type { DocumentTag } from '../openapi-document.js';
import { ERRORS_PAGE } from '../../errors/error.filter.js';

/**
 * Returns the copy of the document that the reference page draws. Its requests go to the host of the page. The error responses of an
 * operation, nearly the same everywhere, are one. Tags have their display names, which RapiDoc does not show everywhere. Patterns, the
 * contact and the licence are omitted.
 */
export function referenceDocument(source: OpenAPIObject, prefix: string): OpenAPIObject {
  const tags = (source.tags ?? []) as readonly DocumentTag[];
  const displayNames = new Map(tags.map(({ name, 'x-displayName': displayName = name }) => [name, displayName]));
  const shown = (tag: string) => displayNames.get(tag) ?? tag;
  const paths = Object.entries(source.paths).map(([path, item]): [string, PathItemObject] => [path, forReaders(item, shown)]);
  const { contact: _contact, license: _license, ...info } = source.info;
  const document = {
    ...source,
    info,
    servers: [{ url: prefix }],
    tags: tags.map(({ name, description }) => ({ name: shown(name), description })),
    paths: Object.fromEntries(paths),
  };
  return JSON.parse(JSON.stringify(document, (name, value: unknown) => (name === 'pattern' ? undefined : value))) as OpenAPIObject;
}

function forReaders(item: PathItemObject, shown: (tag: string) => string): PathItemObject {
  const operations = Object.entries(item as Record<string, OperationObject>);
  return Object.fromEntries(
    operations.map(([method, { tags = [], responses, ...operation }]) => [
      method,
      { ...operation, tags: tags.map(shown), responses: joinErrors(responses) },
    ]),
  );
}

function joinErrors(responses: OperationObject['responses']): OperationObject['responses'] {
  const successes = Object.entries(responses).filter(([status]) => status < '4');
  const description = `An error. Its \`code\` says which: see [all error codes](${ERRORS_PAGE}).`;
  const content = { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } };
  return { ...Object.fromEntries(successes), default: { description, content } };
}
