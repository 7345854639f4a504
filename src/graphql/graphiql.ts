import { basename } from 'node:path';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { html, HTML, serveFiles } from '#libs/http';
import { cliCommand } from '#libs/observability';

const TITLE = 'Animal adoption service: GraphiQL';

function renderPage(): string {
  const keyCommand = cliCommand('keys create --name tools --scopes pets,graphql');
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${TITLE}</title>
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
          <h1>${TITLE}</h1>
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
        <main id="graphiql"></main>
      </body>
    </html> `;
}

const PACKAGE_FILES = [
  'graphiql/graphiql.min.js',
  'graphiql/graphiql.min.css',
  'react/umd/react.production.min.js',
  'react-dom/umd/react-dom.production.min.js',
];
const OWN_FILES = ['graphiql-page.mjs', 'named-parts.mjs', 'graphiql-page.css'];

/** Serves GraphiQL at `/graphiql`, for the schema at `/graphql`. Call it before the application is initialised. */
export function installGraphiql(app: NestFastifyApplication): void {
  const page = renderPage();
  const server = app.getHttpAdapter().getInstance();
  for (const path of ['/graphiql', '/graphiql/']) server.get(path, (_request, reply) => reply.type(HTML).send(page));
  // Those of packages are where the build has put them, which `nest-cli.json` names.
  const locations = [...OWN_FILES.map((file) => `page/${file}`), ...PACKAGE_FILES.map((file) => `../../node_modules/${file}`)];
  serveFiles(app, Object.fromEntries(locations.map((file) => [`/graphiql/${basename(file)}`, new URL(file, import.meta.url)])));
}
