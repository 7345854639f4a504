// Renders docs/guides and the changelog to the pages that the service shows at /docs, with the sections that their search finds, which are
// of these pages and of the reference; the first page, the page for a wrong address, and the frame that the reference page has too.
// docs/guides/README.md is the first guide; its links are the list of all guides, in order.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { framePage, HEAD, pageHeader } from './guides/frame.mjs';
import { operationSections } from './guides/operation-sections.mjs';
import { pageAddress, renderMarkdown } from './guides/render-markdown.mjs';

const root = join(import.meta.dirname, '..');
const site = join(root, 'dist/libs/http/pages/site');
const FIRST = 'docs/guides/README.md';
const REFERENCE = { title: 'Reference', address: '/docs/reference' };
const LOST = '<p>There is no page at this address. Search above, or begin with the <a href="/docs">guides</a>.</p>\n';

const read = (file) => readFileSync(join(root, file), 'utf8');
const document = JSON.parse(read('docs/reference/openapi.json'));
const service = document.info.title;
const listed = read(FIRST)
  .split(/^## /m)
  .slice(1)
  .map((group) => ({
    heading: group.slice(0, group.indexOf('\n')),
    files: [...group.matchAll(/^- \[.+?\]\((.+?)\)/gm)].map(([, path]) => join(dirname(FIRST), path)),
  }));
const files = [FIRST, ...listed.flatMap((group) => group.files)];
const rendered = new Map(files.map((file) => [file, { file, address: pageAddress(file), ...renderMarkdown(file, read(file), files) }]));
const groups = listed.map((group) => ({ heading: group.heading, pages: group.files.map((file) => rendered.get(file)) }));
// It is made by the service itself.
groups.at(-1).pages.unshift(REFERENCE);

rmSync(site, { recursive: true, force: true });
mkdirSync(join(site, 'guides'), { recursive: true });
for (const page of rendered.values()) {
  const name = page.file === FIRST ? 'index' : page.address.slice('/docs/'.length);
  writeFileSync(join(site, `${name}.html`), framePage(page, groups, service));
}
const home = renderMarkdown('scripts/guides/home.md', read('scripts/guides/home.md'), files);
writeFileSync(join(site, 'home.html'), framePage({ title: service, content: home.content }, groups, service));
writeFileSync(join(site, 'not-found.html'), framePage({ title: 'Page not found', content: LOST }, groups, service));
writeFileSync(join(site, 'head.html'), HEAD);
writeFileSync(join(site, 'header.html'), pageHeader(service));
const sections = groups.flatMap(({ pages }) => pages.flatMap((page) => page.sections ?? []));
writeFileSync(join(site, 'search.json'), JSON.stringify([...sections, ...operationSections(document, REFERENCE.address)]));
