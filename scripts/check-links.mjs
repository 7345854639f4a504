// Checks that every relative link of the Markdown files leads to a file, and to a heading in it if it names one.
// Usage: node scripts/check-links.mjs
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

const LINK = /\[(?:[^\]`]|`[^`]*`)*\]\(([^)\s]+)(?:\s"[^"]*")?\)/g;
const HEADING = /^#{1,6} +(.+?) *#*$/gm;
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
const faults = files.flatMap((file) =>
  [...withoutCode(readFileSync(file, 'utf8')).matchAll(LINK)]
    .filter(([, link]) => !OUTSIDE.test(link))
    .flatMap(([, link]) => {
      const fault = faultOf(file, link);
      return fault === undefined ? [] : [`${file}: ${link}: ${fault}`];
    }),
);
for (const fault of faults) console.error(fault);
if (faults.length > 0 || files.length === 0) process.exitCode = 1;
