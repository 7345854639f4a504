import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { ApplicationError } from '#libs/observability';
import { HTML, prefersHtml, serveFiles } from './pages.js';

/** The path of the page on which clients read what has changed. */
export const CHANGELOG_PAGE = '/docs/changelog';

/** The pages that the build has rendered. A test runs the sources, which have none beside them. */
const SITES = ['site/', '../../../dist/libs/http/pages/site/'].map((path) => new URL(path, import.meta.url));
/** The first page and the parts of others, which have no address of their own. */
const PARTS = ['home.html', 'not-found.html', 'head.html', 'header.html'];
const ONLY_WITH_GRAPHIQL = /<!-- graphiql -->.*?<!-- end -->/gs;

/** What the page at `/` leads to. */
export interface PagesOptions {
  readonly title: string;
  /** Paths of this service by what is there, in lower camel case. */
  readonly links: Readonly<Record<string, string>>;
}

/**
 * Serves the guides and the changelog below `/docs`, and at `/` where things are: as JSON or, to a client that likes it better, as a page.
 * Call it before the application is initialised.
 */
export function installPages(app: NestFastifyApplication, { title, links }: PagesOptions): void {
  const own = (path: string) => new URL(path, import.meta.url);
  serveFiles(app, {
    ...listPages(),
    '/docs': new URL('index.html', findSite()),
    '/docs/assets/pico.css': own('../../../node_modules/@picocss/pico/css/pico.conditional.min.css'),
    '/docs/assets/pages.css': own('page/pages.css'),
    '/docs/assets/pages.mjs': own('page/pages.mjs'),
    '/docs/assets/icon.svg': own('page/icon.svg'),
    '/docs/assets/minisearch.mjs': own('../../../node_modules/minisearch/dist/es/index.js'),
  });
  const server = app.getHttpAdapter().getInstance();
  const home = readSiteFile('home.html').replaceAll(ONLY_WITH_GRAPHIQL, (part) => (links['graphiql'] === undefined ? '' : part));
  server.get('/', (request, reply) => {
    void reply.header('vary', [reply.getHeader('vary') ?? [], 'Accept'].flat().join(', '));
    return prefersHtml(request) ? reply.type(HTML).send(home) : reply.send({ title, ...links });
  });
  const lost = readSiteFile('not-found.html');
  server.get('/docs/*', (request, reply) => {
    if (!prefersHtml(request)) throw new ApplicationError('not_found', 'There is nothing at this path.');
    return reply.code(404).type(HTML).send(lost);
  });
}

/** Reads a file that the build has rendered. */
export function readSiteFile(name: string): string {
  return readFileSync(new URL(name, findSite()), 'utf8');
}

function findSite(): URL {
  const site = SITES.find((folder) => existsSync(folder));
  if (site === undefined) throw new Error('The guides are not built: run "npm run build".');
  return site;
}

/** Returns the rendered pages by their paths. */
function listPages(): Record<string, URL> {
  const site = findSite();
  const names = readdirSync(site, { recursive: true, encoding: 'utf8' }).map((name) => name.replaceAll('\\', '/'));
  const files = names.filter((name) => name.includes('.') && !PARTS.includes(name));
  return Object.fromEntries(files.map((name) => [`/docs/${name.replace(/(?:index)?\.html$/, '')}`, new URL(name, site)]));
}
