import { variables } from '../../src/config/index.js';
import { readDocument, tableRows } from '../e2e/readme/readme-text.js';

const documented = Object.entries(variables).map(([name, { default: value, description }]) => ({ name, value, description }));

describe('every variable of the configuration is documented with its default and description', () => {
  it('in the README', () => {
    const expected = documented.map(({ name, value, description }) => [name, value === '' ? 'none' : `\`${value}\``, description]);
    expect(tableRows(readDocument('README.md'), 'Configuration')).toEqual(expected);
  });

  it('in .env.example', () => {
    const entries = readDocument('.env.example').matchAll(/((?:^#.*\n)+)^(.+)$/gm);
    const found = [...entries].map(([, comment = '', line = '']) => [line, comment.replace(/^# ?/gm, '').trim().replaceAll('\n', ' ')]);
    const expected = documented.map(({ name, value, description }) => [`${name}=${value}`, description.replaceAll('`', '')]);
    expect(found).toEqual(expected);
  });
});
