import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import {
  CSS,
  HTML,
  JAVASCRIPT,
  pagePolicy,
  readPageFile,
  serveLocalPage,
  sortByStatus,
  type ErrorDefinition,
  type PageFile,
} from '#libs/observability';
import { ERRORS_PAGE } from '../errors/error.filter.js';
import { errorEntries, errorSections } from './error-codes.js';

/** The path of the page on which clients read what has changed. */
export const CHANGELOG_PAGE = '/docs/changelog';

const SEARCH = '/docs/search.json';
/** Where docs/guides/errors.md has its place for the codes. */
const CODES = /(?<=<h2 id="codes">.*\n)<!--.*?-->/;

/** The pages that the build has rendered. A test runs the sources, which have none beside them. */
const SITES = ['site', '../../../dist/libs/http/guides/site'].map((path) => fileURLToPath(new URL(path, import.meta.url)));

/**
 * Serves the guides, the error codes and the changelog below `/docs`. Call it before the application is initialised.
 * @param errors all error codes, those of a proxy included
 */
export function installGuides(app: NestFastifyApplication, { errors }: { readonly errors: readonly ErrorDefinition[] }): void {
  const explained = sortByStatus(errors);
  const page = (path: string, contentType: string) => readPageFile(new URL(path, import.meta.url), contentType);
  const changed = (contentType: string, text: string) => ({ contentType, content: Buffer.from(text) });
  const pages = readSite();
  const errorsPage = String(pages.get(ERRORS_PAGE)?.content).replace(CODES, () => errorEntries(explained).text);
  const sections = [...(JSON.parse(String(pages.get(SEARCH)?.content)) as object[]), ...errorSections(ERRORS_PAGE, explained)];
  const files = new Map([
    ...pages,
    [ERRORS_PAGE, changed(HTML, errorsPage)],
    [SEARCH, changed('application/json; charset=utf-8', JSON.stringify(sections))],
    ['/docs/assets/guides.css', page('page/guides.css', CSS)],
    ['/docs/assets/guides.mjs', page('page/guides.mjs', JAVASCRIPT)],
    ['/docs/assets/icon.svg', page('page/icon.svg', 'image/svg+xml')],
    ['/docs/assets/minisearch.mjs', page('../../../node_modules/minisearch/dist/es/index.js', JAVASCRIPT)],
  ]);
  serveLocalPage(app, { files, policy: pagePolicy() });
}

/** Reads the rendered pages by their paths. */
function readSite(): Map<string, PageFile> {
  const site = SITES.find((folder) => existsSync(folder));
  if (site === undefined) throw new Error('The guides are not built: run "npm run build".');
  const files = readdirSync(site, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(
    files.flatMap((entry) => {
      const location = join(entry.parentPath, entry.name);
      const file: PageFile = { contentType: HTML, content: readFileSync(location) };
      const path = `/docs${location
        .slice(site.length)
        .replaceAll('\\', '/')
        .replace(/\.html$/, '')}`;
      return path === '/docs/index' ? [['/docs', file] as const, ['/docs/', file] as const] : [[path, file] as const];
    }),
  );
}
