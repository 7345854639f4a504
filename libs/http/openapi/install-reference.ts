import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { Route } from '../admission/route-table.js';
import { serveLocalPage } from '#libs/observability';
import { buildOpenApiDocument, renderOpenApiDocument, type ServiceDescription } from './openapi-document.js';
import { referenceDocument } from './reference/reference-document.js';
import { readReferenceFiles, referencePolicy, type ReferenceOptions } from './reference/reference-page.js';

/**
 * Serves `/openapi.json` and the reference page `/docs/reference`. Call it before the application is initialised.
 * @param routes called once all routes are registered
 */
export function installReference(
  app: NestFastifyApplication,
  service: ServiceDescription,
  routes: () => readonly Route[],
  options: ReferenceOptions = {},
): void {
  const server = app.getHttpAdapter().getInstance();
  let built: OpenAPIObject;
  // A route that cannot be described fails the start.
  server.addHook('onReady', (done) => {
    built = buildOpenApiDocument(routes(), service);
    done();
  });
  // A buffer is shared by all responses.
  const document = once(() => Buffer.from(renderOpenApiDocument(built)));
  const shown = once(() => Buffer.from(renderOpenApiDocument(referenceDocument(built, service.prefix))));
  server.get('/openapi.json', { config: { access: 'public' } }, (_request, reply) =>
    reply.type('application/json; charset=utf-8').send(document()),
  );
  serveLocalPage(app, { files: readReferenceFiles(shown, service, options), policy: referencePolicy });
}

/** Renders on the first request, so that the start does not wait. */
function once(make: () => Buffer): () => Buffer {
  let made: Buffer | undefined;
  return () => (made ??= make());
}
