import { ApplicationError } from '#libs/errors';

export const MAXIMUM_JSON_DEPTH = 64;

/**
 * Refuses duplicate members, also equal ones, and nesting deeper than `MAXIMUM_JSON_DEPTH`.
 * @param text JSON whose syntax is known to be right
 * @throws ApplicationError `invalid_request` naming the member and its position, in characters from 0.
 */
export function checkJsonStructure(text: string): void {
  const names: (Set<string> | undefined)[] = [];
  let expectsName = false;
  for (let position = 0; position < text.length; position++) {
    switch (text.charAt(position)) {
      case '"': {
        const end = endOfString(text, position);
        if (expectsName) addName(names.at(-1), text.slice(position, end), position);
        expectsName = false;
        position = end - 1;
        break;
      }
      case '{':
        expectsName = true;
        names.push(new Set());
        break;
      case '[':
        expectsName = false;
        names.push(undefined);
        break;
      case ',':
        expectsName = names.at(-1) !== undefined;
        break;
      case '}':
      case ']':
        expectsName = false;
        names.pop();
        break;
    }
    if (names.length > MAXIMUM_JSON_DEPTH) {
      throw new ApplicationError(
        'invalid_request',
        `Invalid JSON: nested deeper than ${MAXIMUM_JSON_DEPTH} levels at position ${position}.`,
      );
    }
  }
}

/** The position after the closing quote of the string that begins at `start`. */
function endOfString(text: string, start: number): number {
  let position = start + 1;
  while (text[position] !== '"') position += text[position] === '\\' ? 2 : 1;
  return position + 1;
}

function addName(names: Set<string> | undefined, quoted: string, position: number): void {
  const name = quoted.includes('\\') ? String(JSON.parse(quoted)) : quoted.slice(1, -1);
  if (names?.has(name)) {
    throw new ApplicationError(
      'invalid_request',
      `Invalid JSON: the member ${JSON.stringify(name)} is given twice, again at position ${position}.`,
    );
  }
  names?.add(name);
}
