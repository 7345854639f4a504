const COMMENTS_AND_TEXTS = /\/\*[\s\S]*?\*\/|\/\/.*|'(?:[^'\\\n]|\\.)*'/g;
const TYPE = 'type ';

/**
 * A source text with the imports that it needs.
 * @param catalog where names are from: lists of a module and its names, those of types with `type ` in front
 */
export function withImports(catalog, text) {
  const code = text.replaceAll(COMMENTS_AND_TEXTS, "''");
  const lines = catalog.flatMap(([specifier, ...names]) => {
    const used = names.filter((name) => new RegExp(`(?<!(?<!\\.\\.)\\.|[\\w$])${name.replace(TYPE, '')}\\b`).test(code));
    if (used.length === 0) return [];
    used.sort((one, other) => one.replace(TYPE, '').localeCompare(other.replace(TYPE, ''), 'en'));
    const areTypes = used.every((name) => name.startsWith(TYPE));
    const listed = used.map((name) => (areTypes ? name.replace(TYPE, '') : name)).join(', ');
    return [`import ${areTypes ? TYPE : ''}{ ${listed} } from '${specifier}';`];
  });
  return `${lines.join('\n')}\n\n${text.trim()}\n`;
}

/** The parts of a text that exist, one on each line. */
export function lines(parts) {
  return parts.flat().filter(Boolean).join('\n');
}
