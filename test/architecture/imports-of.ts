import ts from 'typescript';

/** One import of a file, in whatever form it is written. */
export interface Import {
  /** As written, such as `#libs/observability/errors` or `../domain/pet.events.js`. */
  readonly specifier: string;
  /** The names taken from it; empty for a side effect, a namespace or a dynamic import. */
  readonly names: readonly string[];
  /** Nothing of it is left at run time. */
  readonly typeOnly: boolean;
  /** From 1. */
  readonly line: number;
}

/** All imports of a source text: static, dynamic, `require`, of types, and re-exports. */
export function importsOf(path: string, text: string): readonly Import[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TS);
  const found: Import[] = [];
  const visit = (node: ts.Node): void => {
    const read = readImport(node);
    if (read) found.push({ ...read, line: source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1 });
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

type ReadImport = Omit<Import, 'line'>;

function readImport(node: ts.Node): ReadImport | undefined {
  if (ts.isImportDeclaration(node)) return readImportDeclaration(node);
  if (ts.isExportDeclaration(node)) return readReExport(node);
  if (ts.isImportTypeNode(node)) return fromLiteral(ts.isLiteralTypeNode(node.argument) ? node.argument.literal : undefined, true);
  if (ts.isExternalModuleReference(node)) return fromLiteral(node.expression, false);
  if (ts.isCallExpression(node) && isLoadingCall(node)) return fromLiteral(node.arguments[0], false);
  return undefined;
}

function readImportDeclaration(node: ts.ImportDeclaration): ReadImport | undefined {
  const clause = node.importClause;
  const elements = clause?.namedBindings && ts.isNamedImports(clause.namedBindings) ? clause.namedBindings.elements : undefined;
  const typeOnly = clause?.phaseModifier === ts.SyntaxKind.TypeKeyword || (clause?.name === undefined && areAllTypes(elements));
  return fromLiteral(node.moduleSpecifier, typeOnly, elements);
}

function readReExport(node: ts.ExportDeclaration): ReadImport | undefined {
  const elements = node.exportClause && ts.isNamedExports(node.exportClause) ? node.exportClause.elements : undefined;
  return fromLiteral(node.moduleSpecifier, node.isTypeOnly || areAllTypes(elements), elements);
}

type NamedElements = ts.NodeArray<ts.ImportSpecifier> | ts.NodeArray<ts.ExportSpecifier>;

function areAllTypes(elements: NamedElements | undefined): boolean {
  return elements !== undefined && elements.length > 0 && [...elements].every((element) => element.isTypeOnly);
}

function isLoadingCall(node: ts.CallExpression): boolean {
  const callee = node.expression;
  return callee.kind === ts.SyntaxKind.ImportKeyword || (ts.isIdentifier(callee) && callee.text === 'require');
}

function fromLiteral(node: ts.Node | undefined, typeOnly: boolean, elements?: NamedElements): ReadImport | undefined {
  if (!node || !ts.isStringLiteralLike(node)) return undefined;
  const names = [...(elements ?? [])].map((element) => (element.propertyName ?? element.name).text);
  return { specifier: node.text, names, typeOnly };
}
