import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Route } from '#libs/api-kit';
import { serveLocalPage } from '#libs/operations';
import { buildOpenApiDocument, renderOpenApiDocument, type ServiceDescription } from './openapi-document.js';
import { readReferenceFiles, referencePolicy } from './reference-page.js';

/**
 * Serves `/openapi.json` and the reference page at `/docs`. Call it before the application is initialised.
 * @param routes gives those of the application, asked once all are registered
 */
export function installReference(app: NestFastifyApplication, service: ServiceDescription, routes: () => readonly Route[]): void {
  const server = app.getHttpAdapter().getInstance();
  let document = '';
  server.addHook('onReady', (done) => {
    document = renderOpenApiDocument(buildOpenApiDocument(app, routes(), service));
    done();
  });
  server.get('/openapi.json', { config: { access: 'public' } }, (_request, reply) =>
    reply.type('application/json; charset=utf-8').send(document),
  );
  serveLocalPage(app, { files: readReferenceFiles(service.title), policy: referencePolicy });
}
