const TOKENS = /"(?:[^"\\]|\\.)*"|[[\]{},:]|[^\s[\]{},:"]+/g;

/** JSON on several lines, every number with the digits that it came with: no parser that rounds has had it. */
export function indentedJson(text) {
  let depth = 0;
  let lines = '';
  let before = '';
  for (const [token] of text.matchAll(TOKENS)) {
    const closes = token === ']' || token === '}';
    if (closes) depth -= 1;
    const isEmpty = closes && (before === '[' || before === '{');
    if ((closes && !isEmpty) || before === ',' || (!closes && (before === '[' || before === '{'))) lines += `\n${'  '.repeat(depth)}`;
    lines += token === ':' ? ': ' : token;
    if (token === '[' || token === '{') depth += 1;
    before = token;
  }
  return lines;
}
