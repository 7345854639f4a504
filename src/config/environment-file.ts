import { existsSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';

/** Adds the variables of `.env` in the working directory; variables that are already set win. Stands apart, as help loads no zod. */
export function loadEnvironmentFile(): void {
  if (!existsSync('.env')) return;
  for (const [name, value] of Object.entries(parseEnvironmentFile(readFileSync('.env', 'utf8')))) process.env[name] ??= value;
}

/**
 * Parses the text of an environment file as Node does, but with a byte order mark at its beginning, which editors add, and with `#` in
 * values: it begins a comment only after white space, as for Docker Compose, so that no password is cut.
 */
export function parseEnvironmentFile(text: string): NodeJS.Dict<string> {
  return parseEnv(text.replace(/^\uFEFF/, '').replace(/^(\s*(?:export\s+)?[\w.-]+[ \t]*=[ \t]*)([^\s'"`][^\r\n]*)/gm, quoteHash));
}

function quoteHash(line: string, name: string, rest: string): string {
  const value = rest.split(/\s#/)[0]?.trimEnd() ?? '';
  const quote = ["'", '"', '`'].find((mark) => !value.includes(mark));
  return value.includes('#') && quote !== undefined ? `${name}${quote}${value}${quote}` : line;
}
