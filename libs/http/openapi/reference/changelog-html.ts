import { html, type Html } from '#libs/observability';
import { documentHtml } from './document-html.js';
import { inlineMarkdown } from './markdown.js';

/** The path of the page on which clients read what has changed. */
export const CHANGELOG_PAGE = '/docs/changelog';

const RELEASE = /^\[([^\]]+)\](.*)$/s;
const DEFINITION = /^\[[^\]]+\]: /;

/** The page of a changelog in the form of Keep a Changelog, whole; each version at an anchor of its number, such as `1.0.0`. */
export function changelogHtml(title: string, changelog: string): string {
  const [introduction = '', ...releases] = changelog.split(/^## /m);
  return documentHtml({
    title: `${title}: changelog`,
    header: html`${blocksHtml(introduction)}
      <p>The <a href="/docs">reference</a> tells what holds today.</p>`,
    main: html`${releases.map(releaseHtml)}`,
  });
}

function releaseHtml(release: string): Html {
  const [heading = '', ...rest] = release.split('\n');
  const [, version = heading, date = ''] = RELEASE.exec(heading) ?? [];
  return html`<section id="${version}" class="entry">
    <h2>${version}<span class="kind">${date}</span></h2>
    ${blocksHtml(rest.join('\n'))}
  </section>`;
}

/** Headings, lists and paragraphs. Definitions of links are left out: here a version is an anchor itself. */
function blocksHtml(text: string): Html {
  const blocks = text.split(/\n{2,}/).map((block) => block.trim());
  return html`${blocks.filter((block) => block !== '' && !DEFINITION.test(block)).map(blockHtml)}`;
}

function blockHtml(block: string): Html {
  if (block.startsWith('# ')) return html`<h1>${inlineMarkdown(block.slice(2))}</h1>`;
  if (block.startsWith('### ')) return html`<h3>${inlineMarkdown(block.slice(4))}</h3>`;
  if (!block.startsWith('- ')) return html`<p>${inlineMarkdown(block)}</p>`;
  const items = block.slice(2).split(/\n- /);
  return html`<ul>
    ${items.map((item) => html`<li>${inlineMarkdown(item)}</li>`)}
  </ul>`;
}
