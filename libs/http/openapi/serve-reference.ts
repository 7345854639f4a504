import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import type { Route } from '../admission/route-table.js';
import { readSiteFile } from '../pages/install-pages.js';
import { serveFiles } from '../pages/pages.js';
import { buildOpenApiDocument, renderOpenApiDocument, type ServiceDescription } from './openapi-document.js';

/** The path of the reference page. */
const REFERENCE_PAGE = '/docs/reference';
/** Wide tables scroll on a telephone, and names of headers can be read on dark. */
const MENDED = '.swagger-ui .opblock-body { overflow-x: auto } .dark-mode .swagger-ui table.headers td { color: inherit }';
/** Where nothing is sent, no key is asked for. */
const WITHOUT_KEY = '.swagger-ui .auth-wrapper, .swagger-ui .authorization__btn { display: none }';

export interface ReferenceOptions {
  /** Whether the page sends requests, to the host that it comes from. */
  readonly sendsRequests: boolean;
}

/**
 * Serves `/openapi.json` and, by Swagger UI, the reference page `/docs/reference`. Call it before the application is initialised.
 * @param routes called once all routes are registered
 */
export function serveReference(
  app: NestFastifyApplication,
  service: ServiceDescription,
  routes: () => readonly Route[],
  { sendsRequests }: ReferenceOptions,
): void {
  const server = app.getHttpAdapter().getInstance();
  let document: OpenAPIObject;
  // A buffer is shared by all responses.
  let text: Buffer;
  // A route that cannot be described fails the start.
  server.addHook('onReady', (done) => {
    document = buildOpenApiDocument(routes(), service);
    text = Buffer.from(renderOpenApiDocument(document));
    done();
  });
  server.get('/openapi.json', { config: { access: 'public' }, compress: {} }, (_request, reply) =>
    reply.type('application/json; charset=utf-8').send(text),
  );
  serveFiles(app, { [`${REFERENCE_PAGE}/reference.mjs`]: new URL('page/reference.mjs', import.meta.url) });
  frameReference(app);
  SwaggerModule.setup(REFERENCE_PAGE, app, () => (sendsRequests ? { ...document, servers: [{ url: service.prefix }] } : document), {
    raw: false,
    customSiteTitle: `${service.document.info.title}: API reference`,
    customCss: sendsRequests ? MENDED : MENDED + WITHOUT_KEY,
    swaggerOptions: {
      deepLinking: true,
      docExpansion: 'list',
      filter: true,
      // Beside the one above, which is the same on all pages.
      layout: 'BaseLayout',
      // It is on another host.
      validatorUrl: null,
      ...(!sendsRequests && { supportedSubmitMethods: [] }),
    },
  });
}

/** Gives the page, which `SwaggerModule` makes, the head and the header of the guides. */
function frameReference(app: NestFastifyApplication): void {
  const head = `${readSiteFile('head.html')}<script src="${REFERENCE_PAGE}/reference.mjs" type="module"></script>\n`;
  const header = readSiteFile('header.html');
  const server = app.getHttpAdapter().getInstance();
  server.addHook('onRoute', (route) => {
    if (route.url !== REFERENCE_PAGE) return;
    // Before the response is compressed.
    route.onSend = [
      (_request, _reply, page, done) =>
        done(null, String(page).replace('</head>', `${head}</head>`).replace('<body>', `<body>\n${header}`)),
      ...[route.onSend ?? []].flat(),
    ];
  });
}
