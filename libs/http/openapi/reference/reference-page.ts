import { CSS, HTML, html, JAVASCRIPT, pagePolicy, readPageFile, type Html, type PageFile } from '#libs/observability';
import type { ServiceDescription } from '../openapi-document.js';

/** The path of the page. */
const REFERENCE_PAGE = '/docs/reference';

/** What the page does beside showing the document. */
export interface ReferenceOptions {
  /** The command that creates an API key. With it the page sends requests to the host it comes from; without it the page is only read. */
  readonly keyCommand?: string;
}

/** The page loads from this service only. RapiDoc sets style attributes, which need `unsafe-inline`; its scripts need nothing. */
export const referencePolicy = pagePolicy({ 'style-src': "'self' 'unsafe-inline'", 'img-src': "'self' data:" });

const RAPIDOC = `${REFERENCE_PAGE}/rapidoc.js`;

/**
 * Returns the files of the reference page by their paths. RapiDoc draws the document in the browser.
 * @param document the text of the document that it draws, asked for with each request
 */
export function readReferenceFiles(
  document: () => Buffer,
  service: ServiceDescription,
  options: ReferenceOptions,
): ReadonlyMap<string, PageFile> {
  const page = { contentType: HTML, content: Buffer.from(pageHtml(service, options).text) };
  return new Map([
    [REFERENCE_PAGE, page],
    [
      `${REFERENCE_PAGE}/document.json`,
      {
        contentType: 'application/json; charset=utf-8',
        get content() {
          return document();
        },
      },
    ],
    [RAPIDOC, readPageFile(new URL('../../../../node_modules/rapidoc/dist/rapidoc-min.js', import.meta.url), JAVASCRIPT)],
    [`${REFERENCE_PAGE}/reference.mjs`, readPageFile(new URL('page/reference.mjs', import.meta.url), JAVASCRIPT)],
    [`${REFERENCE_PAGE}/page.css`, readPageFile(new URL('page/reference-page.css', import.meta.url), CSS)],
  ]);
}

function pageHtml({ title, prefix, sampleServer }: ServiceDescription, { keyCommand }: ReferenceOptions): Html {
  const sendsRequests = String(keyCommand !== undefined);
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title}: API reference</title>
        <link rel="stylesheet" href="${REFERENCE_PAGE}/page.css" />
        <link rel="icon" type="image/svg+xml" href="/docs/assets/icon.svg" />
        <script src="${RAPIDOC}" defer></script>
        <script src="${REFERENCE_PAGE}/reference.mjs" type="module"></script>
      </head>
      <body>
        <rapi-doc
          data-prefix="${prefix}"
          data-sample-server="${sampleServer}"
          allow-try="${sendsRequests}"
          allow-authentication="${sendsRequests}"
          persist-auth="false"
          allow-server-selection="false"
          allow-spec-url-load="false"
          allow-spec-file-load="false"
          allow-spec-file-download="false"
          allow-advanced-search="false"
          load-fonts="false"
          show-header="false"
          show-method-in-nav-bar="false"
          schema-description-expanded="true"
          schema-style="table"
          default-schema-tab="example"
          fill-request-fields-with-example="false"
          regular-font="system-ui, sans-serif"
          mono-font="ui-monospace, monospace"
        >
          <a slot="nav-logo" href="/docs">Documentation</a>
          ${keyCommand !== undefined && html`<p slot="auth">An operator creates an API key with <code>${keyCommand}</code>. Press SET to use it. It is forgotten when you leave this page.</p>`}
        </rapi-doc>
      </body>
    </html> `;
}
