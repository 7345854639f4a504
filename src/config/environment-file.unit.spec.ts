import { parseEnvironmentFile } from './environment-file.js';

describe('an environment file', () => {
  it.each([
    ['\uFEFFPORT=3000\nHOST=::1', { PORT: '3000', HOST: '::1' }],
    ['PASSWORD=a#b # a comment\nURL=postgres://u:p%23#x@h/d', { PASSWORD: 'a#b', URL: 'postgres://u:p%23#x@h/d' }],
    ["  export PASSWORD = #a'b  \r\nNEXT=1 # one", { PASSWORD: "#a'b", NEXT: '1' }],
    ['QUOTED="a # b" # c\nSINGLE=\'#\'\n# NAME=x#y\nEMPTY=', { QUOTED: 'a # b', SINGLE: '#', EMPTY: '' }],
  ])('may begin with a byte order mark, and have # within a value: %j', (text, expected) => {
    expect(parseEnvironmentFile(text)).toEqual(expected);
  });
});
