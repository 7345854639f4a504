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
  readonly title: string;
  readonly description: string;
  readonly version: string;
  /** Default: nobody is named. */
  readonly contact?: { readonly name: string; readonly email: string };
  /** The path of the page that tells what has changed. Default: no page is named. */
  readonly changelog?: string;
  /** The description of a credential, for the scheme `bearerAuth`. */
  readonly credential: string;
  /** The value of `WWW-Authenticate` without error, such as `Bearer realm="shop"`. */
  readonly challenge: string;
  /** The variable of the environment from which code samples take a credential. */
  readonly keyVariable: string;
  /** The server that code samples use, one of `servers`. */
  readonly sampleServer: string;
  /** The npm package whose `createClient` the samples by `clientSample` use. */
  readonly clientPackage: string;
  /** URLs of the servers by name, such as `production`; a path without a host is relative to the document. */
  readonly servers: Readonly<Record<string, string>>;
  /** In the order in which pages show them. */
  readonly tags: readonly DocumentTag[];
  /** All error codes. */
  readonly errors: readonly ErrorDefinition[];
  /** Error codes that only a proxy in front answers with. Default: none. */
  readonly proxyErrors?: readonly ErrorDefinition[];
  /** Schemas by name beside those that modules define when they are loaded. Default: none. */
  readonly schemas?: Readonly<Record<string, SchemaObject>>;
  /** Requests that the service sends to addresses of clients, by event. Default: none. */
  readonly webhooks?: Readonly<Record<string, PathItemObject>>;
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
  const { title, description, version, contact, changelog, servers, tags, schemas, webhooks, credential, challenge } = service;
  const paths = describePaths(routes, service);
  const components = {
    headers: headerComponents(challenge),
    schemas: { ...schemas, Error: errorSchema(service.errors) },
    responses: errorResponses(service.errors),
  };
  const document = {
    openapi: '3.1.0',
    info: { title, description, version, contact, license: { name: 'MIT', url: 'https://opensource.org/license/mit' } },
    externalDocs: changelog === undefined ? undefined : { description: 'What has changed', url: changelog },
    servers: Object.entries(servers).map(([name, url]) => ({ url, description: name, 'x-internal': false })),
    tags,
    paths,
    webhooks,
    components: {
      securitySchemes: { bearerAuth: { type: 'http', scheme: 'bearer', description: credential } },
      ...usedComponents({ paths, webhooks }, components),
    },
  };
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
