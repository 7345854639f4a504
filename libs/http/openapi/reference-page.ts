import { CSS, HTML, JAVASCRIPT, keptKeyScript, readPageFile, type PageFile } from '#libs/observability';

/** What the page may load and ask: this service alone, no inline script, no style but that of its file. */
export const referencePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const SCRIPTS = ['reference/page/reference', 'reference/page/try-it', 'reference/page/indented-json', 'samples/curl-command'];

/**
 * The files of the reference page by their paths.
 * @param page the page itself, asked for with each request
 */
export function readReferenceFiles(page: () => Buffer): ReadonlyMap<string, PageFile> {
  const file: PageFile = {
    contentType: HTML,
    get content() {
      return page();
    },
  };
  return new Map([
    ['/docs/reference', file],
    ...SCRIPTS.map((path) => [`/docs/${path.split('/').at(-1) ?? ''}.mjs`, fileBeside(`${path}.mjs`, JAVASCRIPT)] as const),
    ['/docs/kept-key.mjs', keptKeyScript],
    ['/docs/reference.css', fileBeside('reference/page/reference.css', CSS)],
    ['/docs/icon.svg', fileBeside('reference/page/icon.svg', 'image/svg+xml')],
  ]);
}

function fileBeside(path: string, contentType: string): PageFile {
  return readPageFile(new URL(path, import.meta.url), contentType);
}
