import { escape, pageAddress } from './render-markdown.mjs';

/** A table of contents is shown for more headings than this. */
const FEW_HEADINGS = 3;

/** What the head of every page has, but for its title. The reference page, which the service makes, has it too. */
export const HEAD = `<meta name="viewport" content="width=device-width, initial-scale=1" />
<meta name="color-scheme" content="light dark" />
<link rel="stylesheet" href="/docs/assets/pico.css" />
<link rel="stylesheet" href="/docs/assets/pages.css" />
<link rel="icon" type="image/svg+xml" href="/docs/assets/icon.svg" />
<script src="/docs/assets/pages.mjs" type="module"></script>
`;

/** Returns the header of every page. @param service its name */
export function pageHeader(service) {
  return `<header class="pico top">
<nav aria-label="Main">
<ul>
<li><strong><a class="contrast" href="/">${escape(service)}</a></strong></li>
<li><a href="/docs">Guides</a></li>
<li><a href="/docs/reference">Reference</a></li>
<li><a href="/docs/guides/graphql">GraphQL</a></li>
</ul>
<search>
<input id="search" type="search" placeholder="Search (press /)" aria-label="Search guides and reference" autocomplete="off" spellcheck="false" />
<article id="found" hidden><small role="status"></small><div></div></article>
</search>
</nav>
</header>
`;
}

/**
 * Returns a page of the site.
 * @param page its title and content; the headings and the file of a guide
 * @param groups the guides by their headings in docs/guides/README.md, in order
 */
export function framePage({ file, title, content, headings = [] }, groups, service) {
  const here = file && pageAddress(file);
  const link = ({ address, title: name }) =>
    `<li><a href="${address}"${address === here ? ' aria-current="page"' : ''}>${escape(name)}</a></li>`;
  const list = groups
    .map(({ heading, pages }) => `<small>${escape(heading)}</small>\n<ul>\n${pages.map(link).join('\n')}\n</ul>`)
    .join('\n');
  const contents = `<aside class="contents" aria-label="On this page"><details><summary>On this page</summary><nav aria-label="Headings"><ul>
${headings.map(({ id, inline }) => `<li><a href="#${id}">${inline}</a></li>`).join('\n')}
</ul></nav></details></aside>
`;
  return `<!doctype html>
<html class="pico" lang="en">
<head>
<meta charset="utf-8" />
<title>${escape(title === service ? title : `${title} – ${service}`)}</title>
${HEAD}</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
${pageHeader(service)}<div class="columns">
<aside aria-label="Guides">
<details>
<summary>All guides</summary>
<nav aria-label="All guides">
${list}
</nav>
</details>
</aside>
${headings.length > FEW_HEADINGS ? contents : ''}<main id="content" tabindex="-1">
<h1>${escape(title)}</h1>
${content}${here ? turn(here, groups) : ''}</main>
</div>
</body>
</html>
`;
}

/** Returns links to the guides before and after a page. */
function turn(here, groups) {
  const list = groups.flatMap(({ pages }) => pages);
  const place = list.findIndex(({ address }) => address === here);
  const [previous, next] = [place < 1 ? undefined : list[place - 1], list[place + 1]];
  const link = (page, rel, name) =>
    page === undefined ? '' : `<li><a rel="${rel}" href="${page.address}"><small>${name}</small> ${escape(page.title)}</a></li>`;
  return `<nav aria-label="Previous and next">
<ul>${link(previous, 'prev', 'Previous')}</ul>
<ul>${link(next, 'next', 'Next')}</ul>
</nav>
`;
}
