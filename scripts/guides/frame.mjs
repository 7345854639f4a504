import { escape, pageAddress } from './render-markdown.mjs';

/** A table of contents is shown for more headings than this. */
const FEW_HEADINGS = 3;

/** Returns a page of the site. @param groups the pages by their headings in docs/guides/README.md, in order */
export function framePage({ file, title, content, headings }, groups) {
  const here = pageAddress(file);
  const list = groups.flatMap(({ pages }) => pages);
  const place = list.findIndex((page) => page.file === file);
  const [previous, next] = [place < 1 ? undefined : list[place - 1], list[place + 1]];
  const link = ({ address, title: name }) =>
    `<li><a href="${address}"${address === here ? ' aria-current="page"' : ''}>${escape(name)}</a></li>`;
  const contents = `<nav class="contents" aria-label="On this page"><p>On this page</p><ul>
${headings.map(({ id, inline }) => `<li><a href="#${id}">${inline}</a></li>`).join('\n')}
</ul></nav>`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8" />
<meta name="viewport" content="width=device-width, initial-scale=1" />
<meta name="color-scheme" content="light dark" />
<title>${escape(title === 'Documentation' ? title : `${title} – Documentation`)}</title>
<link rel="stylesheet" href="/docs/assets/guides.css" />
<link rel="icon" type="image/svg+xml" href="/docs/assets/icon.svg" />
<script src="/docs/assets/guides.mjs" type="module"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
<p class="home"><a href="/docs">Documentation</a></p>
<div role="search">
<input id="search" type="search" placeholder="Search (press /)" aria-label="Search the documentation" autocomplete="off" spellcheck="false" />
<p id="found" role="status"></p>
<ul id="results"></ul>
</div>
<a class="menu" href="#all-pages">All pages</a>
<nav id="all-pages" aria-label="All pages">
${groups.map(({ heading, pages }) => `<p>${escape(heading)}</p>\n<ul>\n${pages.map(link).join('\n')}\n</ul>`).join('\n')}
</nav>
</header>
<main id="content" tabindex="-1">
<h1>${escape(title)}</h1>
${headings.length > FEW_HEADINGS ? contents : ''}
<article>
${content}</article>
<nav class="turn" aria-label="Previous and next">
${previous ? `<a rel="prev" href="${previous.address}"><span>Previous</span> ${escape(previous.title)}</a>` : ''}
${next ? `<a rel="next" href="${next.address}"><span>Next</span> ${escape(next.title)}</a>` : ''}
</nav>
</main>
</body>
</html>
`;
}
