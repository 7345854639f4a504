import { DefaultNamingStrategy, type NamingStrategyInterface, type Table, type View } from 'typeorm';

/** Names of tables and columns in snake case, and of indexes by table and columns. */
export class TableNames extends DefaultNamingStrategy implements NamingStrategyInterface {
  /** @param versioned the names in the database of tables that are rebuilt, by those in `@Entity` */
  constructor(private readonly versioned: ReadonlyMap<string, string> = new Map()) {
    super();
  }

  override tableName(targetName: string, given: string | undefined): string {
    const name = given ?? snakeCase(targetName);
    return this.versioned.get(name) ?? name;
  }

  override columnName(member: string, given: string | undefined, prefixes: string[]): string {
    return given ?? snakeCase([...prefixes, member].join('_'));
  }

  override indexName(table: Table | View | string, columns: string[]): string {
    return [typeof table === 'string' ? table : table.name, ...columns].join('_');
  }
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter, place: number) => `${place === 0 ? '' : '_'}${letter.toLowerCase()}`);
}
