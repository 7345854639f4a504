import { basename } from 'node:path';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { html, HTML, serveFiles } from '#libs/http';

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

const pageOf = ({ title, keyCommand, examples }: GraphiqlOptions): string =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title}</title>
        <link rel="stylesheet" href="/docs/assets/pico.css" />
        <link rel="stylesheet" href="/graphiql/graphiql.min.css" />
        <link rel="stylesheet" href="/graphiql/graphiql-page.css" />
        <link rel="icon" type="image/svg+xml" href="/docs/assets/icon.svg" />
        <script src="/graphiql/react.production.min.js" defer></script>
        <script src="/graphiql/react-dom.production.min.js" defer></script>
        <script src="/graphiql/graphiql.min.js" defer></script>
        <script src="/graphiql/graphiql-page.mjs" type="module"></script>
      </head>
      <body>
        <header class="pico bar">
          <h1>${title}</h1>
          <form id="access" autocomplete="off">
            <label for="key">API key</label>
            <fieldset role="group">
              <input id="key" type="password" autocomplete="off" spellcheck="false" aria-describedby="key-help" required />
              <button>Use this key</button>
              <button type="button" id="forget" class="secondary">Forget it</button>
            </fieldset>
            <small id="key-help">A key with the right scope is made by <code>${keyCommand}</code>. It is kept only for this tab.</small>
          </form>
          <div id="tabs" role="tablist" aria-label="Queries"></div>
        </header>
        <noscript>This page needs JavaScript.</noscript>
        <main id="graphiql" data-examples="${JSON.stringify(examples)}"></main>
      </body>
    </html> `;

const PACKAGE_FILES = [
  'graphiql/graphiql.min.js',
  'graphiql/graphiql.min.css',
  'react/umd/react.production.min.js',
  'react-dom/umd/react-dom.production.min.js',
];
const OWN_FILES = ['graphiql-page.mjs', 'named-parts.mjs', 'graphiql-page.css', 'kept-key.mjs'];

/** Serves GraphiQL at `/graphiql`, for the schema at `/graphql`. Call it before the application is initialised. */
export function serveGraphiql(app: NestFastifyApplication, options: GraphiqlOptions): void {
  const page = pageOf(options);
  for (const path of ['/graphiql', '/graphiql/']) {
    app
      .getHttpAdapter()
      .getInstance()
      .get(path, (_request, reply) => reply.type(HTML).send(page));
  }
  // Those of packages are where the build has put them, which `nest-cli.json` names.
  const locations = [...OWN_FILES.map((file) => `page/${file}`), ...PACKAGE_FILES.map((file) => `../../../node_modules/${file}`)];
  serveFiles(app, Object.fromEntries(locations.map((file) => [`/graphiql/${basename(file)}`, new URL(file, import.meta.url)])));
}
