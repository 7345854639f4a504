import type { SourceChange, SourceChanges } from '../builds/changed-build.fixture.js';

const DOES_NOT_FLUSH: SourceChange = {
  replace: 'isAhead ? traced(FLUSH_ALWAYS.text, () => flush(client)) : Promise.resolve()',
  by: 'Promise.resolve()',
};

/** What the database is told to commit is acknowledged before it is committed, by the name of the database. */
export const ACKNOWLEDGES_EARLY: Readonly<Record<string, SourceChanges>> = {
  SQLite: {
    'libs/database/sqlite/sqlite-database.ts': [
      {
        replace: `tracedStatement(this.dialect.name, 'COMMIT', () => this.statements.run('COMMIT'));`,
        by: `Reflect.set(this, 'committed', delay(30).then(() => this.statements.run('COMMIT')));`,
      },
      {
        replace: 'await tracedStatement(this.dialect.name, BEGIN, () => this.begin(deadline));',
        by: `await Reflect.get(this, 'committed');
    await this.begin(deadline);`,
      },
    ],
  },
  PostgreSQL: {
    'libs/database/postgres/postgres-transaction.ts': [
      {
        replace: `const committed = traced('COMMIT', () => confirmed(client, () => client.query('COMMIT')));`,
        by: `const committed = { command: 'COMMIT' };
          client.query('SELECT pg_sleep(0.03)').catch(() => undefined);
          client.query('COMMIT').catch(() => undefined);`,
      },
      DOES_NOT_FLUSH,
    ],
  },
};

export const DROPS_A_PROJECTION_UPDATE: SourceChanges = {
  'libs/projections/live-projections.ts': [
    {
      replace: 'projection.project(handled, targetOf(projection, transaction)),',
      by: 'handled[0].position % 7n === 0n ? undefined : projection.project(handled, targetOf(projection, transaction)),',
    },
  ],
};

export const FORGETS_IDEMPOTENCY_KEYS: SourceChanges = {
  'libs/event-store/append-group.ts': [{ replace: 'insertIdempotencyKeys(transaction, keyed, now),', by: '' }],
};

export const RESERVES_IN_A_SECOND_APPEND: SourceChanges = {
  'src/orders/commands/place-order.command.ts': [
    {
      replace: 'return this.reservations.append([...lapsed, placed, ...reserved], { metadata, ...(idempotency && { idempotency }) });',
      by: `const result = await this.reservations.append([...lapsed, placed], { metadata, ...(idempotency && { idempotency }) });
        const id = orderIdOf(result.events.find(({ type }) => type === 'order-placed').stream);
        const ofOrder = ({ events, ...append }) => ({ ...append, events: events.map(({ type, data }) => ({ type, data: data([id]) })) });
        if (!result.replayed) await this.reservations.append(reserved.map(ofOrder), { metadata });
        return result;`,
    },
  ],
};

/** An acknowledgement does not wait for the disk. */
export const ANSWERS_BEFORE_THE_SYNC: SourceChanges = { 'libs/database/postgres/postgres-transaction.ts': [DOES_NOT_FLUSH] };

/** What was read is given whether it is on disk or not. */
export const SHOWS_WHAT_IS_NOT_SYNCED: SourceChanges = {
  'libs/database/postgres/postgres-database.ts': [
    { replace: 'pipelined([found, client.query(answeredBy(deadline, FLUSH_IF_PENDING))])', by: 'pipelined([found])' },
  ],
};

/** How far an endpoint has come is written before what failed on the way, in a transaction of its own. */
export const WRITES_PROGRESS_FIRST: SourceChanges = {
  'src/webhooks/delivery/delivery-writer.ts': [
    { replace: 'scheduleRetries(transaction, retries)', by: 'scheduleRetries(transaction, [])' },
  ],
};

/** What a client has read for itself is handed out to it once more when it has caught up. */
export const GIVES_AGAIN: SourceChanges = {
  'src/events/streams/event-subscription.ts': [
    { replace: 'const news = isKnown ? events.filter(({ position }) => position > known) : events;', by: 'const news = events;' },
  ],
};

/** The reader of the log is taken to be where a client is that has just come. */
export const FORGETS_EVENTS: SourceChanges = {
  'src/events/streams/event-subscription.ts': [
    { replace: 'const PAGE = 100;', by: 'const PAGE = 3;' },
    {
      replace: 'this.give(sharedSelectionOf(events, filter), passed);',
      by: 'this.give(sharedSelectionOf(events, filter), follower.position);',
    },
  ],
};

/** Not a bug, but a disk that is full at a hundred pages, and has room again after SIGUSR2. */
export const BOUNDS_PAGES: SourceChanges = {
  'libs/database/sqlite/sqlite-connection.ts': [
    {
      replace: `connection.pragma('synchronous = FULL');`,
      by: `connection.pragma('synchronous = FULL');
    connection.pragma('max_page_count = 100');
    process.on('SIGUSR2', () => connection.open && connection.pragma('max_page_count = 100000'));`,
    },
  ],
};
