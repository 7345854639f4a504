import { Injectable } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { DatabaseUnavailableError } from '#libs/database';
import { EventRegistry } from '#libs/event-sourcing';
import type { ManagementAnswer } from '#libs/observability';
import { ListNewestEvents, ReadHistories, type LoggedEvent } from '../events/index.js';

const MAX_EVENTS = 50;
const MAX_HISTORY = 500;
// As the event store names streams: a category and a number, or another word without spaces.
const STREAM = /^[a-z][a-z0-9-]{0,60}-[A-Za-z0-9-]{1,60}$/;

/** The newest events of the log, and of one stream. Secrets are left out. */
@Injectable()
export class LogPages {
  constructor(
    private readonly queries: QueryBus,
    private readonly registry: EventRegistry,
  ) {}

  /** The newest events, newest first, filtered by `type` and `stream` if the query has them. */
  async newest(query: URLSearchParams): Promise<ManagementAnswer> {
    const [type, stream] = [query.get('type') || undefined, query.get('stream') || undefined];
    const types = this.registry.types();
    if (type !== undefined && !types.includes(type)) return badRequest(`type must be one of ${types.join(', ')}`);
    if (stream !== undefined && !STREAM.test(stream)) return badRequest('stream must be the name of a stream, such as pet-7');
    return jsonUnlessUnavailable(async () => {
      const events = await this.queries.execute(new ListNewestEvents({ limit: MAX_EVENTS, type, stream }));
      return { types, items: events.map(describeEvent) };
    });
  }

  /** The newest events of the query's `stream`, oldest first; empty if there is no such stream. */
  async history(query: URLSearchParams): Promise<ManagementAnswer> {
    const stream = query.get('stream') ?? '';
    if (!STREAM.test(stream)) return badRequest('stream must be the name of a stream, such as pet-7');
    return jsonUnlessUnavailable(async () => {
      const events = await this.queries.execute(new ReadHistories([stream], { limit: MAX_HISTORY, first: 'newest' }));
      return { stream, items: (events.get(stream) ?? []).map(describeEvent).reverse() };
    });
  }
}

/** Makes a response of a value, or of JSON text. */
export function json(status: number, body: string | object): ManagementAnswer {
  return { status, contentType: 'application/json; charset=utf-8', body: typeof body === 'string' ? body : JSON.stringify(body) };
}

function badRequest(message: string): ManagementAnswer {
  return json(400, { message });
}

async function jsonUnlessUnavailable(read: () => Promise<object>): Promise<ManagementAnswer> {
  try {
    return json(200, await read());
  } catch (error) {
    if (!(error instanceof DatabaseUnavailableError)) throw error;
    return json(503, { message: 'The database does not answer.' });
  }
}

function describeEvent({ position, recordedAt, type, stream, version, metadata, data }: LoggedEvent) {
  return { position: String(position), time: recordedAt.toISOString(), type, stream, version, actor: metadata.actor, data };
}
