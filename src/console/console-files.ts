import { readdirSync } from 'node:fs';
import { CSS, html, HTML, JAVASCRIPT, readPageFile, type ManagementPage, type PageFile } from '#libs/operations';
import { place } from '#libs/place';

const OWN = new URL('page/', import.meta.url);
const OF_PLOTS = new URL('../../node_modules/uplot/dist/', import.meta.url);

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');
const HEADERS = { 'content-security-policy': POLICY, 'referrer-policy': 'no-referrer' };

/** Where the page has its `base`, if it needs one. */
const BASE = '<!-- base -->';

/** Where the page has the command that makes a key. */
const KEY_COMMAND = 'data-key-command=""';

/**
 * The files of the page by their paths below `path`: those of its folder, and of the library that draws its plots. All addresses in it
 * are relative, so that it works behind a proxy that strips a prefix; without a slash at the end they count from one level up, which
 * `base` makes up for.
 */
export function consoleFiles(path: string): ReadonlyMap<string, ManagementPage> {
  const keyCommand = html`data-key-command="${place.command('keys create --name website --plan free')}"`;
  const page = readPageFile(new URL('console.html', OWN), HTML).content.toString().replace(KEY_COMMAND, keyCommand.text);
  const folder = path.slice(path.lastIndexOf('/') + 1);
  const withBase = (base: string) => served({ contentType: HTML, content: Buffer.from(page.replace(BASE, base)) });
  const parts = readdirSync(OWN).filter((name) => /\.(?:css|mjs)$/.test(name));
  return new Map<string, ManagementPage>([
    [path, withBase(`<base href="${folder}/" />`)],
    [`${path}/`, withBase('')],
    ...parts.map((name): [string, ManagementPage] => [
      `${path}/${name}`,
      served(readPageFile(new URL(name, OWN), name.endsWith('.css') ? CSS : JAVASCRIPT)),
    ]),
    [`${path}/uplot.mjs`, served(readPageFile(new URL('uPlot.esm.js', OF_PLOTS), JAVASCRIPT))],
    [`${path}/uplot.css`, served(readPageFile(new URL('uPlot.min.css', OF_PLOTS), CSS))],
  ]);
}

function served({ contentType, content }: PageFile): ManagementPage {
  return () => ({ status: 200, contentType, body: content, headers: HEADERS });
}
