/** Whether a terminal gets colours: unless `NO_COLOR` is set (no-color.org), `FORCE_COLOR` is 0, or `TERM` is dumb. */
export function hasColours({ NO_COLOR = '', FORCE_COLOR, TERM }: Readonly<Record<string, string | undefined>>): boolean {
  return NO_COLOR === '' && FORCE_COLOR !== '0' && TERM !== 'dumb';
}

/** Returns the text on one line, without control characters that could rewrite a terminal. */
export function printableLine(text: string): string {
  return text.replace(/\s*\p{Cc}+\s*/gu, ' ').trim();
}
