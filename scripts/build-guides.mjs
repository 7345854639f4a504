// Renders docs/guides and the changelog to the pages that the service shows at /docs, with the sections that their search finds,
// which are of these pages and of the reference.
// docs/guides/README.md is the first page; its links are the list of all pages, in order.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { framePage } from './guides/frame.mjs';
import { operationSections } from './guides/operation-sections.mjs';
import { pageAddress, renderMarkdown } from './guides/render-markdown.mjs';

const root = join(import.meta.dirname, '..');
const site = join(root, 'dist/libs/http/guides/site');
const FIRST = 'docs/guides/README.md';
const REFERENCE = { title: 'Reference', address: '/docs/reference' };

const read = (file) => readFileSync(join(root, file), 'utf8');
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
for (const page of rendered.values()) {
  const path = join(site, page.file === FIRST ? 'index.html' : `${page.address.slice('/docs/'.length)}.html`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, framePage(page, groups));
}
const sections = groups.flatMap(({ pages }) => pages.flatMap((page) => page.sections ?? []));
const operations = operationSections(JSON.parse(read('docs/openapi.json')), REFERENCE.address);
writeFileSync(join(site, 'search.json'), JSON.stringify([...sections, ...operations]));
