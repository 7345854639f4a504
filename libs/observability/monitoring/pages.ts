import { readFileSync } from 'node:fs';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import Negotiator from 'negotiator';
import { html, type Html } from './html.js';

/** A file of a page, held in memory. Its content is asked for with each request, so that it may be made once the service is ready. */
export interface PageFile {
  readonly contentType: string;
  readonly content: Buffer;
}

/** A page that loads only files of this server. */
export interface LocalPage {
  /** Its files by their paths. */
  readonly files: ReadonlyMap<string, PageFile>;
  /** Its Content-Security-Policy: what it may load and where from. */
  readonly policy: string;
}

export const HTML = 'text/html; charset=utf-8';
export const JAVASCRIPT = 'text/javascript; charset=utf-8';
export const CSS = 'text/css; charset=utf-8';

/** The script with which pages keep an API key: only in the tab in which it was typed. */
export const keptKeyScript = readPageFile(new URL('page/kept-key.mjs', import.meta.url), JAVASCRIPT);

/** Reads a file as the build has it, which `nest-cli.json` names. */
export function readPageFile(location: URL, contentType: string): PageFile {
  return { contentType, content: readFileSync(location) };
}

const OWN_FILES = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self'",
  'img-src': "'self'",
  'connect-src': "'self'",
  'base-uri': "'none'",
  'form-action': "'none'",
  'frame-ancestors': "'none'",
};

/**
 * Returns the Content-Security-Policy of a page that loads only files of this service, without inline scripts and styles.
 * @param others directives with sources that replace these
 */
export function pagePolicy(others: Readonly<Record<string, string>> = {}): string {
  return Object.entries({ ...OWN_FILES, ...others })
    .map(([directive, sources]) => `${directive} ${sources}`)
    .join('; ');
}

/** Serves a page. Call it before the application is initialised. */
export function serveLocalPage(app: NestFastifyApplication, { files, policy }: LocalPage): void {
  const server = app.getHttpAdapter().getInstance();
  // A route for each file, so that no path can name another one.
  for (const [path, file] of files) {
    server.get(path, { config: { access: 'public' } }, (_request, reply) =>
      reply.type(file.contentType).header('content-security-policy', policy).send(file.content),
    );
  }
}

/** What the page at `/` leads to. */
export interface IndexPage {
  readonly title: string;
  /** Paths of this service by what is there, in lower camel case. */
  readonly links: Readonly<Record<string, string>>;
}

const JSON_MEDIA_TYPE = 'application/json';
const HTML_MEDIA_TYPE = 'text/html';

/** The page holds only links, so it may load nothing. */
const INDEX_POLICY = "default-src 'none'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/**
 * Tells at `/` where things are: as JSON or, to a client that likes it better, as a page (RFC 9110 section 12.5.1). Call it before the
 * application is initialised.
 */
export function serveIndex(app: NestFastifyApplication, { title, links }: IndexPage): void {
  const asJson = Buffer.from(`${JSON.stringify({ title, ...links })}\n`);
  const asPage = Buffer.from(renderIndex({ title, links }).text);
  app
    .getHttpAdapter()
    .getInstance()
    .get('/', { config: { access: 'public' } }, (request, reply) => {
      const isPage = new Negotiator(request).mediaType([JSON_MEDIA_TYPE, HTML_MEDIA_TYPE]) === HTML_MEDIA_TYPE;
      void reply.header('vary', [reply.getHeader('vary') ?? [], 'Accept'].flat().join(', '));
      if (!isPage) return reply.type(`${JSON_MEDIA_TYPE}; charset=utf-8`).send(asJson);
      return reply.type(HTML).header('content-security-policy', INDEX_POLICY).send(asPage);
    });
}

function renderIndex({ title, links }: IndexPage): Html {
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
