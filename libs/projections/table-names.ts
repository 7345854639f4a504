import type { Projection } from './projection.js';

/**
 * The name under which a table of a projection stands in the database. It carries the projection's version, so that builds with
 * different versions can work on one database.
 */
export function tableNameOf({ version }: Pick<Projection, 'version'>, table: string): string {
  return `${table}_v${version}`;
}

/** The name of a table while it is built, by the name that it will have and the number of the build. */
export function nameWhileBuilt(name: string, generation: number): string {
  return `${name}_build_${generation}`;
}

/** The name of a table whose place the build of this number has taken, until it is dropped. */
export function nameWhenReplaced(name: string, generation: number): string {
  return `${name}_retired_${generation - 1}`;
}

/** Whether `name` is that of the live table `table`, or one that a build of it has had or will have. */
export function isMadeFor(table: string, name: string): boolean {
  return name === table || (name.startsWith(table) && /^_(?:build|retired)_\d+$/.test(name.slice(table.length)));
}
