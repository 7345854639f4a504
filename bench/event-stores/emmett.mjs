import { randomUUID } from 'node:crypto';
import { getPostgreSQLEventStore } from '@event-driven-io/emmett-postgresql';
import { EVENT, measureStore } from './measured.mjs';

/* The published event store, without projections, in the database of DATABASE_URL. */
const store = getPostgreSQLEventStore(process.env.DATABASE_URL);
const append = (stream = `measured-${randomUUID()}`) => store.appendToStream(stream, [EVENT]);
const read = async (stream) => (await store.readStream(stream)).events;
process.send(await measureStore({ append, read }, JSON.parse(process.env.OPTIONS)));
await store.close();
process.exit();
