/** A piece of SQL with its values kept apart; a dialect turns it into text and parameters. */
export class SqlFragment {
  constructor(
    readonly strings: readonly string[],
    readonly values: readonly unknown[],
    /** The text, where it is known; a dialect's own. */
    readonly text?: string,
  ) {}

  /** A whole statement that a dialect has rendered itself. */
  static rendered(text: string, values: readonly unknown[]): SqlFragment {
    return new SqlFragment([], values, text);
  }
}

/** The text and the positional parameters that a driver takes. */
export interface SqlStatement {
  readonly text: string;
  readonly parameters: unknown[];
}

type SqlValue = string | number | bigint | null | SqlFragment;

/** Builds a statement. Values become bound parameters; nested fragments are spliced in. */
export function sql(strings: TemplateStringsArray, ...values: SqlValue[]): SqlFragment {
  return new SqlFragment(strings, values);
}

/** A table or column name, quoted. */
export function identifier(name: string): SqlFragment {
  return raw(`"${name.replaceAll('"', '""')}"`);
}

/** SQL text taken as it is. Never pass anything that came from outside the code. */
export function raw(text: string): SqlFragment {
  return new SqlFragment([text], []);
}

/** Joins values or fragments with a separator (default `, `). An empty list gives an empty fragment. */
export function join(items: readonly SqlValue[], separator = ', '): SqlFragment {
  if (items.length === 0) return raw('');
  return new SqlFragment(['', ...Array<string>(items.length - 1).fill(separator), ''], items);
}

/** One parenthesised row of values, as `VALUES` and `IN` take it. */
export function row(values: readonly SqlValue[]): SqlFragment {
  return sql`(${join(values)})`;
}

/** Renders a fragment; `placeholder` names the n-th parameter, counted from 1. */
export function render(fragment: SqlFragment, placeholder: (index: number) => string): SqlStatement {
  if (fragment.text !== undefined) return { text: fragment.text, parameters: [...fragment.values] };
  const parameters: unknown[] = [];
  const text = renderInto(fragment, parameters, placeholder);
  return { text, parameters };
}

function renderInto(fragment: SqlFragment, parameters: unknown[], placeholder: (index: number) => string): string {
  let text = fragment.strings[0] ?? '';
  fragment.values.forEach((value, index) => {
    if (value instanceof SqlFragment) text += renderInto(value, parameters, placeholder);
    else text += placeholder(parameters.push(value));
    text += fragment.strings[index + 1] ?? '';
  });
  return text;
}
