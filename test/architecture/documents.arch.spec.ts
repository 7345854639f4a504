import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { domainImports, libraryRows } from './layout.js';

const root = join(import.meta.dirname, '..', '..');
const LINK = /\]\((?!https?:|#)([^)#]+)/g;
const SOURCE_PATH = /`((?:src|libs|test|scripts|docs|bench|deploy)\/[a-z0-9./-]+)`/g;

/** What a clean clone has not, or has from others. */
const NOT_OURS = ['.git', 'dist', 'node_modules', 'reports', 'data'];
const MOST_LINES_OF_A_GUIDE = 250;
/** The module that the guide adds to a copy of the tree. */
const EXAMPLE = 'src/walks';

const documents = markdownIn('.');

describe.each(documents)('%s', (document) => {
  const text = readFileSync(join(root, document), 'utf8');

  it('links to files that exist', () => {
    const lost = [...text.matchAll(LINK)].map(([, path = '']) => path).filter((path) => !existsSync(join(root, dirname(document), path)));

    expect(lost).toEqual([]);
  });

  it('has whole code blocks and tables', () => {
    const faults: string[] = [];
    let inCode = false;
    for (const [index, line] of text.split('\n').entries()) {
      const isFence = /^ *```/.test(line);
      if (isFence && /^ *```$/.test(line) !== inCode) faults.push(`line ${index + 1} begins a block without a language, or within another`);
      if (isFence) inCode = !inCode;
      const isRuler = /^\|[-:| ]+\|$/.test(line) && line.includes('-');
      if (!inCode && isRuler && !text.split('\n')[index - 1]?.startsWith('|')) {
        faults.push(`line ${index + 1} begins a table without a header`);
      }
    }
    expect([...faults, ...(inCode ? ['the last block does not end'] : [])]).toEqual([]);
  });

  it('names files that exist', () => {
    const lost = [...text.matchAll(SOURCE_PATH)]
      .map(([, path = '']) => path)
      .filter((path) => !path.startsWith(EXAMPLE) && !existsSync(join(root, path)));

    expect(lost).toEqual([]);
  });
});

describe.each(readdirSync(join(root, 'libs')))('libs/%s/README.md', (library) => {
  const folder = join(root, 'libs', library);
  const named = [...readFileSync(join(folder, 'README.md'), 'utf8').matchAll(/`([A-Za-z-]+)`/g)].map(([, name = '']) => name);

  it('names folders, files and exports of the library, and other libraries', () => {
    const exported = readFileSync(join(folder, 'index.ts'), 'utf8').match(/\w+/g) ?? [];
    const known = new Set([
      ...exported,
      ...readdirSync(join(root, 'libs')),
      ...readdirSync(folder).map((name) => name.replace(/\.ts$/, '')),
    ]);
    expect(named.filter((name) => !known.has(name))).toEqual([]);
  });

  it('names every folder of the library', () => {
    const folders = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory() && entry.name !== 'testing');
    expect(folders.map(({ name }) => name).filter((name) => !named.includes(name))).toEqual([]);
  });
});

describe('docs/dependencies.md', () => {
  const text = readFileSync(join(root, 'docs', 'dependencies.md'), 'utf8').split('\n## Who may import whom\n')[1] ?? '';

  it('has the order of the libraries and what the domain may import, as they are enforced', () => {
    expect(text).toContain(libraryRows.map((row) => row.join(', ')).join(' → '));
    for (const name of domainImports['#libs/observability'] ?? []) expect(text).toContain(`\`${name}\``);
  });
});

describe('test/README.md', () => {
  const rows = [...readFileSync(join(root, 'test', 'README.md'), 'utf8').matchAll(/^\| `(\w+)` +\| \[[^\]]+\]\(([^)]+)\)/gm)];

  it.each(rows.map(([, name = '', path = '']) => [name, path]))('names %s, which %s exports', (name, path) => {
    expect(readFileSync(join(root, 'test', path), 'utf8')).toMatch(
      new RegExp(`^export (?:async )?(?:function|const|class) ${name}\\b`, 'm'),
    );
  });
});

describe('docs/guides', () => {
  const guides = markdownIn(join('docs', 'guides'));

  it.each(guides)('%s is short', (guide) => {
    expect(readFileSync(join(root, guide), 'utf8').split('\n').length).toBeLessThan(MOST_LINES_OF_A_GUIDE);
  });

  it('are all listed on the first page', () => {
    const first = readFileSync(join(root, 'docs', 'guides', 'README.md'), 'utf8');
    expect(guides.filter((guide) => !first.includes(`](${basename(guide)})`))).toEqual([join('docs', 'guides', 'README.md')]);
  });
});

describe('docs/nest.md', () => {
  it('shows a test that runs', () => {
    const test = readFileSync(join(root, 'src', 'pets', 'test', 'add-pet.int.spec.ts'), 'utf8');
    expect(readFileSync(join(root, 'docs', 'nest.md'), 'utf8')).toContain(`\`\`\`ts\n${test}\`\`\`\n`);
  });
});

describe('docs/security.md', () => {
  it('goes through the ten risks of OWASP in their order, and names a test for each', () => {
    const sections = readFileSync(join(root, 'docs', 'security.md'), 'utf8')
      .split(/^## API(?=\d)/m)
      .slice(1);
    expect(sections.map((section) => Number.parseInt(section, 10))).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    for (const section of sections) expect(section).toMatch(/`[\w./-]+\.spec\.ts`/);
  });
});

function markdownIn(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return NOT_OURS.includes(entry.name) ? [] : markdownIn(path);
    return entry.name.endsWith('.md') ? [path] : [];
  });
}
