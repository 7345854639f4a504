import { composition } from '../../src/bootstrap/composition.js';
import { listSettings } from '../../src/config/index.js';
import { readDocument, tableRows } from '../e2e/readme/readme-text.js';

const documented = listSettings(composition().settings);

describe('every variable of the configuration is documented with its default and description', () => {
  it('in the README', () => {
    const expected = documented.map(({ variable, default: text, description }) => [variable, text ? `\`${text}\`` : 'none', description]);
    expect(tableRows(readDocument('README.md'), 'Configuration')).toEqual(expected);
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
