/** Text that is HTML already. */
export class Html {
  constructor(readonly text: string) {}
}

export type HtmlPart = Html | string | number | false | undefined | readonly HtmlPart[];

/** HTML with values in it: texts are escaped, lists are joined, false and undefined give nothing. */
export function html(parts: TemplateStringsArray, ...values: readonly HtmlPart[]): Html {
  return new Html(parts.map((part, index) => part + rendered(values[index])).join(''));
}

function rendered(value: HtmlPart): string {
  if (value === undefined || value === false) return '';
  if (value instanceof Html) return value.text;
  if (typeof value === 'object') return value.map(rendered).join('');
  return escaped(String(value));
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
