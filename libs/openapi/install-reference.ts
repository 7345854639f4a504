import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { serveLocalPage } from '#libs/operations';
import { buildOpenApiDocument, renderOpenApiDocument, type BaseUrls } from './openapi-document.js';
import { readReferenceFiles, referencePolicy } from './reference-page.js';

/** Serves `/openapi.json` and the reference page at `/docs`. Call it before the application is initialised. */
export function installReference(app: NestFastifyApplication, baseUrls: BaseUrls): void {
  const server = app.getHttpAdapter().getInstance();
  const document = renderOpenApiDocument(buildOpenApiDocument(app, baseUrls));
  server.get('/openapi.json', (_request, reply) => reply.type('application/json; charset=utf-8').send(document));
  serveLocalPage(app, { files: readReferenceFiles(), policy: referencePolicy });
}
