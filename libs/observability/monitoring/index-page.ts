import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import Negotiator from 'negotiator';
import { html, type Html } from './html.js';
import { HTML } from './local-page.js';

/** What the page at `/` leads to. */
export interface IndexPage {
  readonly title: string;
  /** Paths of this service by what is there, in lower camel case. */
  readonly links: Readonly<Record<string, string>>;
}

const JSON_MEDIA_TYPE = 'application/json';
const HTML_MEDIA_TYPE = 'text/html';

/** The page holds links alone, so that it may load nothing. */
const policy = "default-src 'none'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/**
 * Tells at `/` where things are: as JSON or, to a client that likes it better, as a page (RFC 9110 section 12.5.1). Call it before the
 * application is initialised.
 */
export function serveIndex(app: NestFastifyApplication, { title, links }: IndexPage): void {
  const asJson = Buffer.from(`${JSON.stringify({ title, ...links })}\n`);
  const asPage = Buffer.from(pageOf({ title, links }).text);
  app
    .getHttpAdapter()
    .getInstance()
    .get('/', { config: { access: 'public' } }, (request, reply) => {
      const isPage = new Negotiator(request).mediaType([JSON_MEDIA_TYPE, HTML_MEDIA_TYPE]) === HTML_MEDIA_TYPE;
      void reply.header('vary', [reply.getHeader('vary') ?? [], 'Accept'].flat().join(', '));
      if (!isPage) return reply.type(`${JSON_MEDIA_TYPE}; charset=utf-8`).send(asJson);
      return reply.type(HTML).header('content-security-policy', policy).send(asPage);
    });
}

function pageOf({ title, links }: IndexPage): Html {
  const items = Object.values(links).map((path) => html`<li><a href="${path}">${path}</a></li>`);
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        <link rel="icon" href="data:," />
      </head>
      <body>
        <h1>${title}</h1>
        <ul>
          ${items}
        </ul>
      </body>
    </html> `;
}
