import { basename, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import compress from '@fastify/compress';
import files from '@fastify/static';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyRequest, RouteOptions } from 'fastify';
import Negotiator from 'negotiator';

export const HTML = 'text/html; charset=utf-8';

const OWN_FILES = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self'",
  // Pico's icons are in its styles.
  'img-src': "'self' data:",
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

/** Libraries that draw a page in the browser set styles, and have fonts in them. */
const DRAWN_PAGE = pagePolicy({ 'style-src': "'self' 'unsafe-inline'", 'font-src': "'self' data:" });

/** The policy of each page and of what is below it; the first that fits counts. */
const POLICIES = [
  ['/docs/reference', DRAWN_PAGE],
  ['/graphiql', DRAWN_PAGE],
  ['/docs', pagePolicy()],
  ['/', pagePolicy()],
] as const;

/**
 * An `onRoute` hook, to be added before all others: makes the routes of pages public, compresses their responses and tells browsers what
 * they may load. The routes of `@fastify/static` and `SwaggerModule` cannot do so themselves.
 */
export function describePage(route: RouteOptions): void {
  const [, policy] = POLICIES.find(([path]) => route.url === path || (path !== '/' && route.url.startsWith(`${path}/`))) ?? [];
  if (policy === undefined) return;
  route.config = { ...route.config, access: 'public' };
  route.compress = {};
  route.onRequest = (_request, reply, done) => {
    void reply.header('content-security-policy', policy);
    done();
  };
}

/** Loads what serves and compresses files. Call it before the routes of pages are added. */
export async function installFiles(app: NestFastifyApplication): Promise<void> {
  const server = app.getHttpAdapter().getInstance();
  // Only routes that ask for it are compressed: events are streamed, and JSON of the API has strong entity tags.
  await server.register(compress, { global: false, encodings: ['br', 'gzip'] });
  await server.register(files, { serve: false, cacheControl: false });
}

/** Serves files at exact paths, so that no path can name another one. Browsers keep them and ask by `ETag` whether they have changed. */
export function serveFiles(app: NestFastifyApplication, locations: Readonly<Record<string, URL>>): void {
  const server = app.getHttpAdapter().getInstance();
  for (const [path, location] of Object.entries(locations)) {
    const file = fileURLToPath(location);
    server.get(path, (_request, reply) => reply.sendFile(basename(file), dirname(file)));
  }
}

/** Whether the client likes a page better than JSON (RFC 9110 section 12.5.1). */
export function prefersHtml(request: FastifyRequest): boolean {
  return new Negotiator(request).mediaType(['application/json', 'text/html']) === 'text/html';
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Returns HTML with texts in it, which are escaped. */
export function html(parts: TemplateStringsArray, ...texts: readonly string[]): string {
  const escaped = texts.map((text) => text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? character));
  return String.raw({ raw: parts }, ...escaped);
}
