import { identifier, raw, sql, type TextSearch } from '../sql.js';

const PART_CHARACTERS = 3;

/**
 * An index is a virtual table of FTS5 that has the trigrams of each text but not their places: it finds the rows that have all trigrams of a
 * part. Triggers keep it up to date.
 */
export const sqliteTextSearch: TextSearch = {
  isTable: true,
  preparation: [],
  isOrdered: true,
  contains: (text, part) => sql`instr(${text}, ${part}) > 0`,
  createIndex: ({ name, table, column }) => {
    const [index, source, text] = [identifier(name), identifier(table), identifier(column)];
    const trigger = (event: string) => identifier(`${name}_${event}`);
    return [
      sql`CREATE VIRTUAL TABLE ${index} USING fts5("text", content = '', contentless_delete = 1, detail = none, tokenize = 'trigram case_sensitive 1')`,
      sql`CREATE TRIGGER ${trigger('insert')} AFTER INSERT ON ${source}
          BEGIN INSERT INTO ${index} ("rowid", "text") VALUES (NEW."id", NEW.${text}); END`,
      sql`CREATE TRIGGER ${trigger('update')} AFTER UPDATE OF ${text} ON ${source}
          BEGIN UPDATE ${index} SET "text" = NEW.${text} WHERE "rowid" = OLD."id"; END`,
      sql`CREATE TRIGGER ${trigger('delete')} AFTER DELETE ON ${source}
          BEGIN DELETE FROM ${index} WHERE "rowid" = OLD."id"; END`,
    ];
  },
  findIndex: ({ name }) => sql`SELECT 1 AS "found" FROM "sqlite_master" WHERE "type" = 'table' AND "name" = ${name}`,
  matches: ({ name }, part) => {
    const characters = [...part];
    if (characters.length < PART_CHARACTERS) return undefined;
    const trigrams = new Set(
      characters.slice(PART_CHARACTERS - 1).map((_, start) => characters.slice(start, start + PART_CHARACTERS).join('')),
    );
    const query = [...trigrams].map((trigram) => `"${trigram.replaceAll('"', '""')}"`).join(' AND ');
    return ({ after, descending, limit }) => {
      const follows = after === undefined ? raw('') : sql`AND "rowid" ${raw(descending ? '<' : '>')} ${after}`;
      return sql`"id" IN (SELECT "rowid" FROM ${identifier(name)} WHERE ${identifier(name)} MATCH ${query} ${follows}
        ORDER BY "rowid" ${raw(descending ? 'DESC' : 'ASC')} LIMIT ${limit})`;
    };
  },
};
