import type { OpenAPIObject, PathItemObject, SchemaObject } from '@nestjs/swagger';
import type { Route } from '../admission/route-table.js';
import type { ErrorDefinition } from '#libs/observability';
import { sortByName, usedComponents } from './components.js';
import { describeOperation, type ExtendedOperation } from './describe-operation.js';
import { errorResponses, errorSchema } from './error-responses.js';
import { headerComponents } from './headers.js';
import { clientSample, curlSample, type CodeSample } from './code-samples.js';

/** A group of operations. Generators of clients make a class of its name; pages show the display name. */
export interface DocumentTag {
  readonly name: string;
  readonly 'x-displayName'?: string;
  readonly description: string;
}

/** The document's description of the service. */
export interface ServiceDescription {
  /** The document without what the routes add: paths, and components that they, webhooks and errors use. It has the scheme `bearerAuth`. */
  readonly document: Omit<OpenAPIObject, 'openapi' | 'paths'>;
  /** The value of `WWW-Authenticate` without error, such as `Bearer realm="shop"`. */
  readonly challenge: string;
  /** The variable of the environment from which code samples take a credential. */
  readonly keyVariable: string;
  /** The server that code samples use, one of those of the document. */
  readonly sampleServer: string;
  /** The npm package whose `createClient` the samples by `clientSample` use. */
  readonly clientPackage: string;
  /** All error codes. */
  readonly errors: readonly ErrorDefinition[];
  /** Error codes that only a proxy in front answers with. Default: none. */
  readonly proxyErrors?: readonly ErrorDefinition[];
  /** Schemas by name beside those that modules define when they are loaded. Default: none. */
  readonly schemas?: Readonly<Record<string, SchemaObject>>;
  /** The prefix of all paths, which the servers have too, such as `/v1`. */
  readonly prefix: string;
}

/** An operation with its samples, an extension that pages of several makers read. */
interface SampledOperation extends ExtendedOperation {
  readonly 'x-codeSamples': readonly CodeSample[];
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

/**
 * Builds the OpenAPI 3.1 document from the routes that have an `@Operation`. Its order depends only on the code, so that equal code gives
 * equal text.
 * @param routes all routes of the application, registered
 */
export function buildOpenApiDocument(routes: readonly Route[], service: ServiceDescription): OpenAPIObject {
  const { webhooks, components, ...head } = service.document;
  const paths = describePaths(routes, service);
  const used = usedComponents(
    { paths, webhooks },
    {
      headers: headerComponents(service.challenge),
      schemas: { ...service.schemas, Error: errorSchema(service.errors) },
      responses: errorResponses(service.errors),
    },
  );
  const document = { openapi: '3.1.0', ...head, paths, webhooks, components: { ...components, ...used } };
  // Drops members that are undefined, as the text does.
  return JSON.parse(JSON.stringify(document)) as OpenAPIObject;
}

/** Returns the text of the document as it is served; the committed one has the same content and line breaks. */
export function renderOpenApiDocument(document: OpenAPIObject): string {
  return `${JSON.stringify(document)}\n`;
}

function describePaths(routes: readonly Route[], service: ServiceDescription): Record<string, PathItemObject> {
  const items: Record<string, Record<string, SampledOperation>> = {};
  for (const method of METHODS) {
    for (const route of routes.filter((each) => each.method.toLowerCase() === method)) {
      const { operation } = route.config;
      if (!operation) continue;
      const path = route.template.slice(service.prefix.length).replaceAll(/:(\w+)/g, '{$1}');
      const described = describeOperation(route, operation);
      const samples = [curlSample(method, path, described, service), ...clientSample(operation.clientSample, service)];
      (items[path] ??= {})[method] = { ...described, 'x-codeSamples': samples };
    }
  }
  return Object.fromEntries(sortByName(items));
}
