import fc from 'fast-check';
import { stringifyJson } from './stringify-json.js';

describe('stringifyJson', () => {
  it('writes what JSON.stringify writes', () => {
    const value = fc.array(fc.anything({ withDate: true }));
    fc.assert(fc.property(value, (candidate) => expect(stringifyJson(candidate)).toBe(JSON.stringify(candidate))));
  });

  it('writes any string as JSON.stringify does', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => expect(stringifyJson(text)).toBe(JSON.stringify(text))));
    expect(stringifyJson('a\udfff')).toBe('"a\\udfff"');
    expect(stringifyJson('\ud800"\\\n')).toBe(JSON.stringify('\ud800"\\\n'));
  });

  it('writes a bigint as bare digits', () => {
    fc.assert(fc.property(fc.bigInt(), (value) => expect(stringifyJson({ value: [value] })).toBe(`{"value":[${value}]}`)));
  });

  it('refuses what is no JSON value', () => {
    expect(() => stringifyJson(undefined)).toThrow(TypeError);
  });
});
