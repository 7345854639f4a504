// Checks that every relative link of the Markdown files leads to a file, and to a heading in it if it names one, and that every source file
// that they name as code exists.
// Usage: node scripts/check-links.mjs
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

const LINK = /\[(?:[^\]`]|`[^`]*`)*\]\(([^)\s]+)(?:\s"[^"]*")?\)/g;
const HEADING = /^#{1,6} +(.+?) *#*$/gm;
const SOURCE_PATH = /`((?:src|libs|test|scripts|docs|bench|deploy)\/[a-z0-9./-]+)`/g;
/** The module that the guide adds to a copy of the tree. */
const EXAMPLE = 'src/walks';
const OUTSIDE = /^(?:[a-z][a-z+.-]*:|\/)/;

/** The text without what is code, in which nothing is a link or a heading. */
const withoutCode = (text) => text.replace(/^( *)(```+)[^]*?^\1\2 *$/gm, '').replace(/`[^`\n]*\]\([^`\n]*`/g, '');

/** What GitHub makes of a heading. */
const anchorOf = (heading) =>
  heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
    .replaceAll(' ', '-');

function anchorsOf(file) {
  const text = withoutCode(readFileSync(file, 'utf8'));
  const seen = new Map();
  const anchors = [...text.matchAll(HEADING)].map(([, heading]) => {
    const anchor = anchorOf(heading);
    const count = seen.get(anchor) ?? 0;
    seen.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${count}`;
  });
  return new Set([...anchors, ...[...text.matchAll(/<a (?:id|name)="([^"]+)"/g)].map(([, name]) => name)]);
}

function faultOf(file, link) {
  const [path, anchor] = link.split('#');
  const target = path === '' ? file : join(dirname(file), decodeURIComponent(path));
  if (!existsSync(target)) return 'no such file';
  if (anchor === undefined || statSync(target).isDirectory() || !target.endsWith('.md')) return undefined;
  return anchorsOf(target).has(anchor) ? undefined : 'no such heading';
}

const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'], { encoding: 'utf8' });
const files = listed.split('\n').filter((file) => file !== '' && existsSync(file));
const faults = files.flatMap((file) => {
  const text = readFileSync(file, 'utf8');
  const links = [...withoutCode(text).matchAll(LINK)].map(([, link]) => link).filter((link) => !OUTSIDE.test(link));
  const paths = [...text.matchAll(SOURCE_PATH)].map(([, path]) => path).filter((path) => !path.startsWith(EXAMPLE));
  return [
    ...links.map((link) => ({ file, name: link, fault: faultOf(file, link) })),
    ...paths.map((path) => ({ file, name: path, fault: existsSync(path) ? undefined : 'no such file' })),
  ].filter(({ fault }) => fault !== undefined);
});
for (const { file, name, fault } of faults) console.error(`${file}: ${name}: ${fault}`);
if (faults.length > 0 || files.length === 0) process.exitCode = 1;
