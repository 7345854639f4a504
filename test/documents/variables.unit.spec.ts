import { composition } from '../../src/bootstrap/composition.js';
import { groupSettings, listSettings } from '../../src/config/index.js';
import { readDocument, tableRows } from '../e2e/readme/readme-text.js';

const { settings } = composition();
const documented = listSettings(settings);
const page = readDocument('docs/configuration.md');

describe('every variable of the configuration is documented with its default and description', () => {
  it.each(groupSettings(settings))('in docs/configuration.md: $title', ({ title, settings: group }) => {
    const expected = group.map(({ variable, default: text, description }) => [variable, text ? `\`${text}\`` : 'none', description]);
    expect(tableRows(page, title)).toEqual(expected);
  });

  it('in .env.example', () => {
    const entries = readDocument('.env.example').matchAll(/((?:^#.*\n)+)^(.+)$/gm);
    const found = [...entries].map(([, comment = '', line = '']) => [line, comment.replace(/^# ?/gm, '').trim().replaceAll('\n', ' ')]);
    const expected = documented.map(({ variable, default: text = '', description }) => [
      `${variable}=${text}`,
      description.replaceAll('`', ''),
    ]);
    expect(found).toEqual(expected);
  });
});
