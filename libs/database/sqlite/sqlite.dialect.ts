import type { Dialect } from '../dialect.js';

export const sqliteDialect: Dialect = {
  name: 'sqlite',
  placeholder: () => '?',
  // Exactly INTEGER makes a single primary key column the row id itself.
  columnTypes: { int64: 'INTEGER', text: 'TEXT' },
  appendOnlyLog: [
    `CREATE TRIGGER "events_refuse_update" BEFORE UPDATE ON "events"
     BEGIN SELECT RAISE(ABORT, 'the event log is append-only: UPDATE refused'); END`,
    `CREATE TRIGGER "events_refuse_delete" BEFORE DELETE ON "events"
     BEGIN SELECT RAISE(ABORT, 'the event log is append-only: DELETE refused'); END`,
    // A replacing insert fires no DELETE trigger, so it is refused here, together with gaps and steps back.
    `CREATE TRIGGER "events_refuse_disorder" BEFORE INSERT ON "events"
     BEGIN
       SELECT RAISE(ABORT, 'the event log is append-only: position must ascend')
       WHERE NEW."position" <= (SELECT coalesce(max("position"), 0) FROM "events");
       SELECT RAISE(ABORT, 'the event log is append-only: stream version must be the next one')
       WHERE NEW."stream_version" <> 1 +
         (SELECT coalesce(max("stream_version"), 0) FROM "events" WHERE "stream_id" = NEW."stream_id");
     END`,
  ],
};
