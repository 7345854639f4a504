import { readFileSync } from 'node:fs';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { CSS, HTML, JAVASCRIPT, serveLocalPage, type PageFile } from '#libs/operations';

/** What the page says of the service. Title and label are HTML. */
export interface GraphiqlOptions {
  readonly title: string;
  /** Which key to type in. */
  readonly keyLabel: string;
  /** The query that the editor starts with. */
  readonly defaultQuery: string;
}

const pageOf = ({ title, keyLabel }: GraphiqlOptions): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${title}</title>
    <link rel="stylesheet" href="/graphiql/graphiql.min.css">
    <link rel="stylesheet" href="/graphiql/page.css">
    <link rel="icon" href="data:,">
    <script src="/graphiql/react.production.min.js" defer></script>
    <script src="/graphiql/react-dom.production.min.js" defer></script>
    <script src="/graphiql/graphiql.min.js" defer></script>
    <script src="/graphiql/page.js" defer></script>
  </head>
  <body>
    <noscript>This page needs JavaScript.</noscript>
    <form id="access" autocomplete="off">
      <label for="key">${keyLabel}</label>
      <input id="key" type="password" size="60" required>
      <button>Use this key</button>
    </form>
    <div id="graphiql"><p class="hint">The editor starts here with your key: it reads the schema with it. The key stays in this page alone.</p></div>
  </body>
</html>
`;

const STYLE = `body { margin: 0; display: flex; flex-direction: column; height: 100vh; font-family: sans-serif; }
#access { padding: 8px; display: flex; gap: 8px; align-items: center; }
#graphiql { flex: 1; min-height: 0; }
.hint { margin: 8px; color: #555; }
`;

// The key lives in the page's memory alone. Giving one starts GraphiQL anew, so that it reads the schema with it.
const scriptOf = ({ defaultQuery }: GraphiqlOptions): string => `const root = ReactDOM.createRoot(document.getElementById('graphiql'));
let starts = 0;
document.getElementById('access').addEventListener('submit', (event) => {
  event.preventDefault();
  const key = document.getElementById('key').value.trim();
  const fetcher = GraphiQL.createFetcher({ url: '/graphql', headers: { authorization: 'Bearer ' + key } });
  const defaultQuery = ${JSON.stringify(defaultQuery)};
  root.render(React.createElement(GraphiQL, { key: ++starts, fetcher, defaultQuery, shouldPersistHeaders: false }));
});
`;

/** What the page may load: files of this service only, no inline script. GraphiQL's editor adds style elements as it works. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Serves GraphiQL at `/graphiql`, for the schema at `/graphql`. Call it before the application is initialised. */
export function serveGraphiql(app: NestFastifyApplication, options: GraphiqlOptions): void {
  serveLocalPage(app, { files: readFiles(options), policy });
}

/** The files of the page by their paths. Reads those of packages where the build has put them, which `nest-cli.json` names. */
function readFiles(options: GraphiqlOptions): ReadonlyMap<string, PageFile> {
  const page = { contentType: HTML, content: Buffer.from(pageOf(options)) };
  return new Map([
    ['/graphiql', page],
    ['/graphiql/', page],
    ['/graphiql/page.js', { contentType: JAVASCRIPT, content: Buffer.from(scriptOf(options)) }],
    ['/graphiql/page.css', { contentType: CSS, content: Buffer.from(STYLE) }],
    ['/graphiql/graphiql.min.js', packageFile('graphiql/graphiql.min.js', JAVASCRIPT)],
    ['/graphiql/graphiql.min.css', packageFile('graphiql/graphiql.min.css', CSS)],
    ['/graphiql/react.production.min.js', packageFile('react/umd/react.production.min.js', JAVASCRIPT)],
    ['/graphiql/react-dom.production.min.js', packageFile('react-dom/umd/react-dom.production.min.js', JAVASCRIPT)],
  ]);
}

function packageFile(path: string, contentType: string): PageFile {
  return { contentType, content: readFileSync(new URL(`../../../node_modules/${path}`, import.meta.url)) };
}
