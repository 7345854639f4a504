import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { CSS, HTML, JAVASCRIPT, type PageFile } from '#libs/operations';

const require = createRequire(import.meta.url);

const pageTitled = (title: string) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${title}: reference</title>
    <link rel="stylesheet" href="/docs/swagger-ui.css">
    <link rel="icon" type="image/png" href="/docs/favicon-32x32.png">
    <script src="/docs/swagger-ui-bundle.js" defer></script>
    <script src="/docs/reference.js" defer></script>
  </head>
  <body>
    <noscript>This page needs JavaScript. The same reference as OpenAPI: <a href="/openapi.json">/openapi.json</a></noscript>
    <div id="reference"></div>
  </body>
</html>
`;

// The page is for reading alone: no API key is ever typed into it.
const SCRIPT = `SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  supportedSubmitMethods: [],
  validatorUrl: null,
  plugins: [() => ({ wrapComponents: { authorizeBtn: () => () => null, authorizeOperationBtn: () => () => null } })],
});
`;

/** What the page may load: files of this service only, no inline script. */
export const referencePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The files of the reference page by their paths. Reads those of Swagger UI from its package. */
export function readReferenceFiles(title: string): ReadonlyMap<string, PageFile> {
  const page = { contentType: HTML, content: Buffer.from(pageTitled(title)) };
  return new Map([
    ['/docs', page],
    ['/docs/', page],
    ['/docs/reference.js', { contentType: JAVASCRIPT, content: Buffer.from(SCRIPT) }],
    ['/docs/swagger-ui-bundle.js', packageFile('swagger-ui-bundle.js', JAVASCRIPT)],
    ['/docs/swagger-ui.css', packageFile('swagger-ui.css', CSS)],
    ['/docs/favicon-32x32.png', packageFile('favicon-32x32.png', 'image/png')],
  ]);
}

function packageFile(name: string, contentType: string): PageFile {
  return { contentType, content: readFileSync(require.resolve(`swagger-ui-dist/${name}`)) };
}
