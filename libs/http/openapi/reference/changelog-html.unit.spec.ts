import { changelogHtml } from './changelog-html.js';

const CHANGELOG = `# Changelog

Of [things](https://example.org/).

## [Unreleased]

### Added

- One \`<thing>\`,
  on two lines.
- Another.

## [1.0.0] - 2026-11-23

### Security

- Locks.

[1.0.0]: #100---2026-11-23
`;

describe('the page of a changelog', () => {
  const page = changelogHtml('Things', CHANGELOG);

  it('has a section for each version, at its number', () => {
    expect(page).toContain('<h1>Changelog</h1>');
    expect(page).toContain('Of <a href="https://example.org/">things</a>.');
    expect([...page.matchAll(/<section id="([^"]+)"/g)].map(([, id]) => id)).toEqual(['Unreleased', '1.0.0']);
    expect(page).toContain('<h2>1.0.0<span class="kind"> - 2026-11-23</span></h2>');
  });

  it('lists what has changed under headings, and texts as texts', () => {
    expect(page).toMatch(
      /<h3>Added<\/h3>\s*<ul>\s*<li>One <code>&lt;thing&gt;<\/code>,\s*on two lines\.<\/li><li>Another\.<\/li>\s*<\/ul>/,
    );
    expect(page).toMatch(/<h3>Security<\/h3>\s*<ul>\s*<li>Locks\.<\/li>/);
    expect(page).not.toContain('#100');
  });
});
