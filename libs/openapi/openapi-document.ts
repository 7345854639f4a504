import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject, type OperationObject, type PathItemObject } from '@nestjs/swagger';
import type { Route } from '#libs/api-kit';
import type { ErrorDefinition } from '#libs/errors';
import { componentsOf } from './components.js';
import { describedOperation, headOperation, optionsOperation } from './described-operations.js';
import { ErrorResponses } from './error-responses.js';
import { CHANGELOG_PAGE } from './reference/changelog-html.js';
import { codeSamples } from './samples/code-samples.js';
import { sampleRequest } from './samples/sample-request.js';

/** What the service says of itself. */
export interface ServiceDescription {
  readonly title: string;
  readonly description: string;
  readonly version: string;
  /** Who to turn to; nobody is named when left out. */
  readonly contact?: { readonly name: string; readonly email: string };
  /** What clients have seen change, in the form of Keep a Changelog; none is served when left out. */
  readonly changelog?: string;
  /** What a credential is, for the scheme `bearerAuth`. */
  readonly credential: string;
  /** The variable of the environment from which samples take a credential. */
  readonly keyVariable: string;
  /** The address that samples are sent to, one of the servers. */
  readonly sampleServer: string;
  /** Each as the address its paths are under, by what it is, such as `production`; a path alone is one of the host asked. */
  readonly servers: Readonly<Record<string, string>>;
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  /** The codes of the modules beside those of the error table. */
  readonly errors: readonly ErrorDefinition[];
  /** Codes that only a proxy in front answers with; none when left out. */
  readonly proxyErrors?: readonly ErrorDefinition[];
  /** What is sent to addresses that clients name, by what has happened; none when left out. */
  readonly webhooks?: Readonly<Record<string, PathItemObject>>;
  /** What all paths begin with and the servers hold, such as `/v1`. */
  readonly prefix: string;
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;
const ALL_METHODS = [...METHODS, 'head', 'options'] as const;

/**
 * The OpenAPI 3.1 document of the application's controllers. Depends on nothing but the code and the description, and lists everything in
 * a fixed order, so that equal code gives equal text.
 * @param routes those of the application, once they are registered
 */
export function buildOpenApiDocument(app: INestApplication, routes: readonly Route[], service: ServiceDescription): OpenAPIObject {
  const builder = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle(service.title)
    .setDescription(service.description)
    .setVersion(service.version)
    .setLicense('MIT', 'https://opensource.org/license/mit')
    // The builder's own bearer scheme says that the key is a JWT.
    .addSecurity('bearerAuth', { type: 'http', scheme: 'bearer', description: service.credential });
  for (const [name, url] of Object.entries(service.servers)) builder.addServer(url, name);
  for (const { name, description } of service.tags) builder.addTag(name, description);
  // The servers hold the prefix already.
  const scanned = SwaggerModule.createDocument(app, builder.build(), { ignoreGlobalPrefix: true });
  const errors = new ErrorResponses(service.errors);
  const paths = withSamples(describedPaths(scanned.paths, routeFinder(routes, service.prefix), errors), service);
  const { openapi, info, servers, tags, components } = scanned;
  const further = { schemas: { Error: errors.schema }, responses: errors.shared() };
  const { webhooks, contact, changelog } = service;
  const document = {
    openapi,
    info: { ...info, contact },
    externalDocs: changelog === undefined ? undefined : { description: 'What has changed', url: CHANGELOG_PAGE },
    servers: servers?.map((server) => ({ ...server, 'x-internal': false })),
    tags,
    paths,
    webhooks,
    components: { securitySchemes: components?.securitySchemes, ...componentsOf({ paths, webhooks }, further) },
  };
  // The scan leaves members that are undefined, which JSON does not have.
  return JSON.parse(JSON.stringify(document)) as OpenAPIObject;
}

/** The document as the text that is committed and served. */
export function renderOpenApiDocument(document: OpenAPIObject): string {
  return `${JSON.stringify(document, undefined, 2)}\n`;
}

type RouteOf = (method: string, path: string) => Route | undefined;

function routeFinder(routes: readonly Route[], prefix: string): RouteOf {
  const known = new Map(routes.map((route) => [`${route.method} ${route.template}`, route]));
  return (method, path) => known.get(`${method.toUpperCase()} ${prefix}${path.replaceAll(/\{(\w+)\}/g, ':$1')}`);
}

function describedPaths(
  paths: Readonly<Record<string, PathItemObject>>,
  routeOf: RouteOf,
  errors: ErrorResponses,
): Record<string, PathItemObject> {
  const inOrder = Object.entries(paths).sort(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(
    inOrder.flatMap(([path, item]) => {
      const described = METHODS.flatMap((method) => {
        const [operation, route] = [item[method], routeOf(method, path)];
        return operation && route?.config.operation ? [[method, merged(operation, describedOperation(route, errors))] as const] : [];
      });
      return described.length === 0 ? [] : [[path, withImpliedOperations(Object.fromEntries(described), errors)]];
    }),
  );
}

/** What decorators of the library say of an operation is kept beside what follows from its route. */
function merged(scanned: OperationObject, described: Partial<OperationObject> & Pick<OperationObject, 'responses'>): OperationObject {
  const own = Object.entries(scanned.responses).filter(([status]) => status !== 'default' && !isImplied(status, scanned));
  return { ...scanned, ...described, responses: { ...described.responses, ...Object.fromEntries(own) } };
}

/** The library adds an answer without a description where none is said. */
function isImplied(status: string, { responses }: OperationObject): boolean {
  const response = responses[status];
  return response !== undefined && 'description' in response && response.description === '';
}

function withImpliedOperations(item: PathItemObject, errors: ErrorResponses): PathItemObject {
  const [first] = METHODS.flatMap((method) => item[method] ?? []);
  return {
    ...item,
    ...(item.get && { head: headOperation(item.get, errors) }),
    ...(first && { options: optionsOperation(first, errors) }),
  };
}

function withSamples(
  paths: Readonly<Record<string, PathItemObject>>,
  { sampleServer, keyVariable }: ServiceDescription,
): Record<string, PathItemObject> {
  return Object.fromEntries(
    Object.entries(paths).map(([path, item]) => {
      const sampled = ALL_METHODS.flatMap((method) => {
        const operation = item[method];
        if (!operation) return [];
        const samples = codeSamples(sampleRequest(method, `${sampleServer}${path}`, operation), keyVariable);
        return [[method, { ...operation, 'x-codeSamples': samples }] as const];
      });
      return [path, { ...item, ...Object.fromEntries(sampled) }];
    }),
  );
}
