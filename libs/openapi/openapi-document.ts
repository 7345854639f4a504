import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, type PathItemObject, SwaggerModule } from '@nestjs/swagger';
import { componentsOf } from './components.js';
import { withImpliedOperations } from './implied-operations.js';

/** The two deployments, each as the address its paths are under, ending in `/v1`. */
export interface BaseUrls {
  readonly production: string;
  readonly staging: string;
}

const DESCRIPTION = `List, add and read animals that are up for adoption.

Every operation needs an API key, sent as \`Authorization: Bearer <API_KEY>\`, and counts against the limits of its plan, which the answer's headers tell. An int64 is written in digits; read it with a parser that keeps all of them. Every refusal has the body \`Error\`.

An operation marked \`x-stability: experimental\` may change at any time, one marked \`beta\` with notice; one without the mark is stable.`;

/**
 * The OpenAPI 3.1 document of the application's controllers. Depends on nothing but the code and the base URLs, and lists
 * everything in a fixed order, so that equal code gives equal text.
 */
export function buildOpenApiDocument(app: INestApplication, { production, staging }: BaseUrls): OpenAPIObject {
  const configuration = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Animal adoption service')
    .setDescription(DESCRIPTION)
    .setVersion('1.0.0')
    .setLicense('MIT', 'https://opensource.org/license/mit')
    .addServer(production, 'production')
    .addServer(staging, 'staging')
    .addTag('pets', 'Animals up for adoption.')
    // The builder's own bearer scheme says that the key is a JWT.
    .addSecurity('bearerAuth', { type: 'http', scheme: 'bearer', description: 'An API key, an opaque text: `adopt_…`.' })
    .build();
  // The base URLs hold the prefix already.
  const { openapi, info, servers, tags, paths, components } = SwaggerModule.createDocument(app, configuration, {
    ignoreGlobalPrefix: true,
  });
  const described = describedPaths(paths);
  const document = {
    openapi,
    info,
    servers,
    tags,
    paths: described,
    components: { securitySchemes: components?.securitySchemes, ...componentsOf(described) },
  };
  // The scan leaves members that are undefined, which JSON does not have.
  return JSON.parse(JSON.stringify(document)) as OpenAPIObject;
}

/** The document as the text that is committed and served. */
export function renderOpenApiDocument(document: OpenAPIObject): string {
  return `${JSON.stringify(document, undefined, 2)}\n`;
}

function describedPaths(paths: Readonly<Record<string, PathItemObject>>): Record<string, PathItemObject> {
  const inOrder = Object.entries(paths).sort(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(inOrder.map(([path, item]) => [path, withImpliedOperations(item)]));
}
