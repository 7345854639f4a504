import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const RISKS = [
  'Broken object level authorization',
  'Broken authentication',
  'Broken object property level authorization',
  'Unrestricted resource consumption',
  'Broken function level authorization',
  'Unrestricted access to sensitive business flows',
  'Server side request forgery',
  'Security misconfiguration',
  'Improper inventory management',
  'Unsafe consumption of APIs',
];

describe('docs/security.md', () => {
  const text = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'security.md'), 'utf8');
  const sections = text.split(/^## /m).slice(1);

  it('goes through the ten risks in their order', () => {
    expect(sections.slice(0, 10).map((section) => section.split('\n')[0])).toEqual(RISKS.map((risk, index) => `API${index + 1} ${risk}`));
  });

  it.each(RISKS)('names a test for %s', (risk) => {
    expect(sections.find((section) => section.includes(risk))).toMatch(/`[\w./-]+\.spec\.ts`/);
  });
});
