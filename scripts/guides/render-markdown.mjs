import { basename } from 'node:path';
import hljs from 'highlight.js';
import { Marked } from 'marked';

/** Code that names a page of the site becomes a link to it. */
const SITE_PATH = /^\/(?:docs(?:\/[a-z/]+)?|openapi\.json)$/;

/** Returns the address of a Markdown file on the site, such as `/docs/guides/orders` for `docs/guides/orders.md`. */
export function pageAddress(file) {
  const name = basename(file, '.md');
  if (name === 'README') return '/docs';
  return ['errors', 'CHANGELOG'].includes(name) ? `/docs/${name.toLowerCase()}` : `/docs/guides/${name}`;
}

/**
 * Renders a guide.
 * @returns its title, its content without the title, its headings of level 2, and its sections for the search
 * @throws Error for a link to a file that is no page of the site
 */
export function renderMarkdown(file, markdown, files) {
  const headings = [];
  const taken = new Map();

  function address(href) {
    if (/^(?:https?:|#|\/)/.test(href)) return href;
    const [target = '', fragment] = href.split('#');
    const page = files.find((path) => basename(path) === basename(target));
    if (page === undefined) throw new Error(`${file} links to ${href}, which is no page of the site.`);
    return pageAddress(page) + (fragment === undefined ? '' : `#${fragment}`);
  }

  /** Returns the anchor that GitHub gives a heading too; a version of the changelog has its number. */
  function anchor(text) {
    const slug =
      /^\[(.+?)\]/.exec(text)?.[1] ??
      plain(text)
        .toLowerCase()
        .replace(/[^\p{L}\p{N}_ -]/gu, '')
        .replaceAll(' ', '-');
    const times = taken.get(slug) ?? 0;
    taken.set(slug, times + 1);
    return times === 0 ? slug : `${slug}-${times}`;
  }

  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }) {
        const inline = this.parser
          .parseInline(tokens)
          .replace(/<\/?a\b[^>]*>/g, '')
          .replace(/^\[(.+?)\]/, '$1');
        const id = anchor(text);
        headings.push({ id, depth, inline });
        return depth === 1 ? `<h1>${inline}</h1>\n` : `<h${depth} id="${id}"><a class="anchor" href="#${id}">${inline}</a></h${depth}>\n`;
      },
      link({ href, tokens }) {
        return `<a href="${escape(address(href))}">${this.parser.parseInline(tokens)}</a>`;
      },
      codespan({ text }) {
        const code = `<code>${escape(text)}</code>`;
        return SITE_PATH.test(text) && text !== pageAddress(file) ? `<a href="${text}">${code}</a>` : code;
      },
      code({ text, lang }) {
        const code = hljs.getLanguage(lang) ? hljs.highlight(text, { language: lang }).value : escape(text);
        return `<div class="code"><pre tabindex="0"><code>${code}\n</code></pre></div>\n`;
      },
    },
  });
  const html = marked
    .parse(markdown)
    .replaceAll('<table>', '<div class="overflow-auto" tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>');
  const title = plain(headings[0]?.inline ?? '');
  const content = html.replace(/^<h1>.*<\/h1>\n/, '');
  return { title, content, headings: headings.filter(({ depth }) => depth === 2), sections: sections(content, title, pageAddress(file)) };
}

/** Splits a page at its headings, as the search finds it; the changelog at its versions. */
function sections(content, title, page) {
  return content.split(page.endsWith('changelog') ? /(?=<h2 id=)/ : /(?=<h[23] id=)/).map((part) => {
    const [, id, heading] = /^<h[23] id="([^"]+)">(.*)<\/h/.exec(part) ?? [];
    const text = plain(part.replace(/^<h[23].*\n/, ''))
      .replaceAll(/\s+/g, ' ')
      .trim();
    return { url: id === undefined ? page : `${page}#${id}`, title: heading === undefined ? title : plain(heading), page: title, text };
  });
}

const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

export function escape(text) {
  return text.replaceAll(/[&<>"]/g, (character) => ENTITIES[character]);
}

/** Returns the text of HTML that marked has made. */
function plain(html) {
  const characters = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
  return html.replaceAll(/<!--.*?-->|<[^>]+>/gs, '').replaceAll(/&(amp|lt|gt|quot|#39);/g, (_all, name) => characters[name]);
}
