import { Injectable } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { DatabaseUnavailableError } from '#libs/database';
import { EventRegistry } from '#libs/event-store';
import type { ManagementAnswer } from '#libs/operations';
import { ListNewestEvents, ReadHistories, type LoggedEvent } from '../events/index.js';
import { json } from './json-answer.js';

const MOST_EVENTS = 50;
const MOST_OF_A_HISTORY = 500;
// As the event store names them: a category and a number, or another word that has no space.
const STREAM = /^[a-z][a-z0-9-]{0,60}-[A-Za-z0-9-]{1,60}$/;

/** The log for operators: its tail, and the end of one stream. Secrets are left out. */
@Injectable()
export class LogPages {
  constructor(
    private readonly queries: QueryBus,
    private readonly registry: EventRegistry,
  ) {}

  /** The newest events, the newest first: of the `type` and the `stream` that the query names, if it does. */
  async newest(query: URLSearchParams): Promise<ManagementAnswer> {
    const [type, stream] = [query.get('type') || undefined, query.get('stream') || undefined];
    const types = this.registry.types();
    if (type !== undefined && !types.includes(type)) return refusal(`type must be one of ${types.join(', ')}`);
    if (stream !== undefined && !STREAM.test(stream)) return refusal('stream must be the name of a stream, such as pet-7');
    return answered(async () => {
      const events = await this.queries.execute(new ListNewestEvents({ limit: MOST_EVENTS, type, stream }));
      return { types, items: events.map(shown) };
    });
  }

  /** The newest events of the `stream` that the query names, the oldest of them first; none where there is no such stream. */
  async history(query: URLSearchParams): Promise<ManagementAnswer> {
    const stream = query.get('stream') ?? '';
    if (!STREAM.test(stream)) return refusal('stream must be the name of a stream, such as pet-7');
    return answered(async () => {
      const events = await this.queries.execute(new ReadHistories([stream], { limit: MOST_OF_A_HISTORY, first: 'newest' }));
      return { stream, items: (events.get(stream) ?? []).map(shown).reverse() };
    });
  }
}

async function answered(read: () => Promise<object>): Promise<ManagementAnswer> {
  try {
    return json(200, await read());
  } catch (error) {
    if (!(error instanceof DatabaseUnavailableError)) throw error;
    return json(503, { message: 'The database does not answer.' });
  }
}

function refusal(message: string): ManagementAnswer {
  return json(400, { message });
}

function shown({ position, recordedAt, type, stream, version, metadata, data }: LoggedEvent) {
  return { position: String(position), time: recordedAt.toISOString(), type, stream, version, actor: metadata.actor, data };
}
