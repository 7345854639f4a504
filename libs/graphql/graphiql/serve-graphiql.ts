import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import {
  CSS,
  html,
  HTML,
  JAVASCRIPT,
  keptKeyScript,
  pagePolicy,
  readPageFile,
  serveLocalPage,
  type Html,
  type PageFile,
} from '#libs/observability';

/** A tab that the page begins with. */
export interface GraphiqlExample {
  /** An operation with a name, which the tab has too. */
  readonly query: string;
  /** Where a value is `NOW` the page puts the moment at which it is opened. */
  readonly variables?: Readonly<Record<string, string>>;
}

/** What the page says of the service. */
export interface GraphiqlOptions {
  readonly title: string;
  /** The command that makes a key with the right scope. */
  readonly keyCommand: string;
  readonly examples: readonly GraphiqlExample[];
}

const pageOf = ({ title, keyCommand, examples }: GraphiqlOptions): Html =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title}</title>
        <link rel="stylesheet" href="/graphiql/graphiql.min.css" />
        <link rel="stylesheet" href="/graphiql/graphiql-page.css" />
        <link rel="icon" href="data:," />
        <script src="/graphiql/react.production.min.js" defer></script>
        <script src="/graphiql/react-dom.production.min.js" defer></script>
        <script src="/graphiql/graphiql.min.js" defer></script>
        <script src="/graphiql/graphiql-page.mjs" type="module"></script>
      </head>
      <body>
        <header>
          <h1>${title}</h1>
          <form id="access" autocomplete="off">
            <label for="key">API key</label>
            <input id="key" type="password" autocomplete="off" spellcheck="false" aria-describedby="key-help" required />
            <button>Use this key</button>
            <button type="button" id="forget">Forget it</button>
            <p id="key-help">A key with the right scope is made by <code>${keyCommand}</code>. It is kept only for this tab.</p>
          </form>
          <div id="tabs" role="tablist" aria-label="Queries"></div>
        </header>
        <noscript>This page needs JavaScript.</noscript>
        <main id="graphiql" data-examples="${JSON.stringify(examples)}"></main>
      </body>
    </html> `;

/** What the page may load: files of this service only, no inline script. GraphiQL's editor adds style elements as it works. */
const policy = pagePolicy({ 'style-src': "'self' 'unsafe-inline'", 'img-src': "'self' data:", 'font-src': "'self' data:" });

/** Serves GraphiQL at `/graphiql`, for the schema at `/graphql`. Call it before the application is initialised. */
export function serveGraphiql(app: NestFastifyApplication, options: GraphiqlOptions): void {
  serveLocalPage(app, { files: readFiles(options), policy });
}

/** The files of the page by their paths. Reads those of packages where the build has put them, which `nest-cli.json` names. */
function readFiles(options: GraphiqlOptions): ReadonlyMap<string, PageFile> {
  const page = { contentType: HTML, content: Buffer.from(pageOf(options).text) };
  return new Map([
    ['/graphiql', page],
    ['/graphiql/', page],
    ['/graphiql/graphiql-page.mjs', file('page/graphiql-page.mjs', JAVASCRIPT)],
    ['/graphiql/named-parts.mjs', file('page/named-parts.mjs', JAVASCRIPT)],
    ['/graphiql/graphiql-page.css', file('page/graphiql-page.css', CSS)],
    ['/graphiql/kept-key.mjs', keptKeyScript],
    ['/graphiql/graphiql.min.js', packageFile('graphiql/graphiql.min.js', JAVASCRIPT)],
    ['/graphiql/graphiql.min.css', packageFile('graphiql/graphiql.min.css', CSS)],
    ['/graphiql/react.production.min.js', packageFile('react/umd/react.production.min.js', JAVASCRIPT)],
    ['/graphiql/react-dom.production.min.js', packageFile('react-dom/umd/react-dom.production.min.js', JAVASCRIPT)],
  ]);
}

function packageFile(path: string, contentType: string): PageFile {
  return file(`../../../node_modules/${path}`, contentType);
}

function file(path: string, contentType: string): PageFile {
  return readPageFile(new URL(path, import.meta.url), contentType);
}
