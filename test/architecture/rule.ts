import type { ProjectFile, ProjectTree, ResolvedImport } from './project-tree.js';

/** A line that breaks a rule. `line` is 1 where the file itself is at fault. */
export interface Violation {
  readonly rule: string;
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

/** A rule of the layout. */
export interface Rule {
  readonly name: string;
  check(tree: ProjectTree): readonly Violation[];
}

/** Looks at one import of one file: the message of what is wrong with it, or undefined. */
type ImportCheck = (one: ResolvedImport, file: ProjectFile) => string | undefined;

/** Looks at one file: the message of what is wrong with it, or undefined. */
type FileCheck = (file: ProjectFile) => string | undefined;

/** Ends the message about an import: where the rules are told. */
export const SEE_IMPORTS = ' (see "Who may import whom" in docs/dependencies.md)';

/** A rule about single imports. */
export function importRule(name: string, check: ImportCheck): Rule {
  const checkFile = (file: ProjectFile): Violation[] =>
    file.imports.flatMap((one) => {
      const message = check(one, file);
      return message === undefined ? [] : [{ rule: name, file: file.path, line: one.line, message: message + SEE_IMPORTS }];
    });
  return { name, check: (tree) => tree.files.flatMap(checkFile) };
}

/** A rule about each file as such. */
export function fileRule(name: string, check: FileCheck): Rule {
  const checkFile = (file: ProjectFile): Violation[] => {
    const message = check(file);
    return message === undefined ? [] : [{ rule: name, file: file.path, line: 1, message }];
  };
  return { name, check: (tree) => tree.files.flatMap(checkFile) };
}
