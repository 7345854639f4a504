import type { OpenAPIObject, PathItemObject, RequestBodyObject } from '@nestjs/swagger';
import { ERRORS_PAGE } from '../../errors/error.filter.js';
import { html, type Html } from '#libs/observability';
import { DescribedDocument } from './described-document.js';
import { documentHtml } from './document-html.js';
import { inlineMarkdown, markdown } from './markdown.js';
import { operationHtml } from './operation-html.js';
import { indented, type PlacedOperation } from './request-html.js';
import { schemaHtml } from './schema-html.js';

/** What the page says and does beside what is in the document. */
export interface ReferenceOptions {
  /** Sends requests to the host that the page comes from; without it the page is for reading alone. */
  readonly tryIt?: {
    /** How to come by an API key, in Markdown. */
    readonly keyHelp: string;
  };
}

/** `OPTIONS` is the same everywhere and stays in the document alone. */
const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'head'] as const;

/**
 * The reference page of a document, whole: a browser shows it without asking for the document, and without a script.
 * @param keyVariable the variable of the environment that stands for the key in the commands of the page
 */
export function referenceHtml(source: OpenAPIObject, keyVariable: string, { tryIt }: ReferenceOptions): string {
  const document = new DescribedDocument(source);
  const { title, version, description = '' } = source.info;
  const { externalDocs } = source;
  return documentHtml({
    title: `${title}: reference`,
    header: html`<h1>${title} <span class="kind">${version}</span></h1>
      ${markdown(description)}
      <p>
        As OpenAPI: <a href="/openapi.json">/openapi.json</a>. What each <a href="${ERRORS_PAGE}">error code</a> means.
        ${externalDocs && html`<a href="${externalDocs.url}">${externalDocs.description}</a>.`}
      </p>`,
    main: html`${tryIt && keyHtml(tryIt.keyHelp)} ${groupsHtml(document, tryIt !== undefined)} ${webhooksHtml(document)}`,
    script: { path: '/docs/reference.mjs', data: { server: source.servers?.[0]?.url ?? '/', 'key-variable': keyVariable } },
  });
}

function keyHtml(help: string): Html {
  return html`<form id="access" autocomplete="off">
    <label for="key">API key</label>
    <input id="key" type="password" autocomplete="off" spellcheck="false" aria-describedby="key-help" />
    <button type="button" id="forget">Forget it</button>
    <p id="key-help" class="about">${inlineMarkdown(help)} It is kept for this tab alone, and no longer.</p>
  </form>`;
}

function groupsHtml(document: DescribedDocument, triesOut: boolean): Html {
  const placed = Object.entries(document.source.paths).flatMap(([path, item]) => placedOperations(path, item));
  const described = document.source.tags ?? [];
  const others = [...new Set(placed.flatMap(getTags))].filter((name) => !described.some((tag) => tag.name === name));
  return html`${[...described, ...others.map((name) => ({ name, description: '' }))].map(
    ({ name, description = '' }) =>
      html`<section>
        <h2 id="${name}">${name}</h2>
        ${markdown(description)} ${placed.filter((one) => getTags(one).includes(name)).map((one) => operationHtml(document, one, triesOut))}
      </section>`,
  )}`;
}

function placedOperations(path: string, item: PathItemObject): PlacedOperation[] {
  return METHODS.flatMap((method) => {
    const operation = item[method];
    return operation ? [{ method: method.toUpperCase(), path, operation }] : [];
  });
}

function getTags({ operation: { tags = [] } }: PlacedOperation): readonly string[] {
  return tags.length > 0 ? tags : ['others'];
}

/** What the service sends to addresses that clients have named. */
function webhooksHtml(document: DescribedDocument): Html | undefined {
  const webhooks = Object.entries((document.source as { readonly webhooks?: Record<string, PathItemObject> }).webhooks ?? {});
  if (webhooks.length === 0) return undefined;
  return html`<section>
    <h2 id="messages">Messages to webhook endpoints</h2>
    ${webhooks.map(([name, { post }]) => {
      if (!post) return undefined;
      const body = post.requestBody && document.resolve<RequestBodyObject>(post.requestBody);
      const [{ schema = {}, examples = {} } = {}] = Object.values(body?.content ?? {});
      const [example] = Object.values(examples);
      return html`<details class="operation" id="${post.operationId}" data-webhook="${name}">
        <summary>
          <span class="method post">POST</span>
          <h3><code class="path">${name}</code> <span class="says">${post.summary}</span></h3>
        </summary>
        <div class="inside">
          ${markdown(post.description ?? '')}${example && html`<pre tabindex="0">${indented(document.resolve(example).value)}</pre>`}
          <details>
            <summary>Members</summary>
            <div class="bounded" tabindex="0">${schemaHtml(document, schema)}</div>
          </details>
        </div>
      </details>`;
    })}
  </section>`;
}
