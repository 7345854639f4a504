import { Injectable } from '@nestjs/common';
import { EventStore, executeDecider, type EventMetadata } from '#libs/event-store';
import { apiKeyDecider, type ApiKeyDecision, type IssueKey } from '../domain/api-key.decider.js';
import { apiKeyStream } from '../domain/api-key-stream.js';
import { ApiKeyReader } from '../read-model/api-key.reader.js';
import type { ApiKeyView } from '../read-model/api-key.view.js';

/** What became of an API key. */
export interface ChangedApiKey {
  readonly apiKey: ApiKeyView;
  /** False when it was all so already and no event was written. */
  readonly changed: boolean;
}

/** Changes API keys that there are. */
@Injectable()
export class ApiKeyChanges {
  constructor(
    private readonly store: EventStore,
    private readonly reader: ApiKeyReader,
  ) {}

  /** @throws ApiKeyNotFoundError, and what the rules of a key refuse */
  async make(command: Exclude<ApiKeyDecision, IssueKey>, metadata: EventMetadata): Promise<ChangedApiKey> {
    const { id } = command;
    const { events } = await executeDecider(this.store, { decider: apiKeyDecider, stream: apiKeyStream(id), command, metadata });
    return { apiKey: await this.reader.get(id), changed: events.length > 0 };
  }
}
