import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(import.meta.dirname, '..', '..', 'docs', 'adr');
const STATUS = /^# \d+\. .+\n\nStatus: (?:accepted|superseded (?:in part \([^)]+\) )?by \[ADR (\d+)\]\(([^)]+)\))\n\n/;

describe.each(readdirSync(folder))('docs/adr/%s', (name) => {
  it('has a status below its title: accepted, or superseded by a decision that exists', () => {
    const text = readFileSync(join(folder, name), 'utf8');
    expect(text).toMatch(STATUS);
    const [, number, file] = STATUS.exec(text) ?? [];
    if (number === undefined || file === undefined) return;
    expect(Number.parseInt(file, 10)).toBe(Number(number));
    expect(existsSync(join(folder, file))).toBe(true);
  });
});
