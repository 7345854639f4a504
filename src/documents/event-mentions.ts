import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/** Where the source says something of an event type: paths from the root of the project, in order. */
export interface EventMentions {
  /** Files that make such an event: an object with `type: 'pet-added'`. */
  readonly emitters: readonly string[];
  /** Files that tell such an event from others: a `case` or a comparison. */
  readonly handlers: readonly string[];
}

/**
 * Reads from the source of the modules who makes and who tells apart which events, so that nobody keeps a list of it.
 * @param root the folder of the project
 * @param folder the folder in it to be read, such as `src`
 */
export function eventMentions(root: string, folder: string, types: ReadonlySet<string>): ReadonlyMap<string, EventMentions> {
  const emitters = new Map<string, Set<string>>();
  const handlers = new Map<string, Set<string>>();
  for (const path of sourceFiles(root, folder)) {
    const file = ts.createSourceFile(path, readFileSync(join(root, path), 'utf8'), ts.ScriptTarget.Latest, true);
    const visit = (node: ts.Node): void => {
      if (ts.isStringLiteral(node) && types.has(node.text)) {
        if (isTypeOfEvent(node)) note(emitters, node.text, path);
        if (isCompared(node)) note(handlers, node.text, path);
      }
      ts.forEachChild(node, visit);
    };
    visit(file);
  }
  const pathsOf = (found: ReadonlyMap<string, Set<string>>, type: string) => [...(found.get(type) ?? [])];
  return new Map([...types].map((type) => [type, { emitters: pathsOf(emitters, type), handlers: pathsOf(handlers, type) }]));
}

function sourceFiles(root: string, folder: string): string[] {
  const names = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
  return names
    .filter((name) => name.endsWith('.ts') && !/\.(?:spec|fixture)\.ts$/.test(name))
    .map((name) => [folder, ...name.split(/[\\/]/)].join('/'))
    .sort();
}

function isTypeOfEvent({ parent }: ts.StringLiteral): boolean {
  return ts.isPropertyAssignment(parent) && parent.name.getText() === 'type';
}

function isCompared({ parent }: ts.StringLiteral): boolean {
  return ts.isCaseClause(parent) || ts.isBinaryExpression(parent);
}

function note(found: Map<string, Set<string>>, type: string, path: string): void {
  found.set(type, (found.get(type) ?? new Set()).add(path));
}
