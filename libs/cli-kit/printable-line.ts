/** Text on one line, without control characters that could rewrite a terminal. */
export function printableLine(text: string): string {
  return text.replace(/\s*\p{Cc}+\s*/gu, ' ').trim();
}
