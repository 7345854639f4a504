import type { RecordedEvent } from '#libs/event-store';
import type { Projection, ProjectionTarget } from '#libs/projections';
import { apiKeyEvents, type RecordedApiKeyEvent } from '../domain/api-key.events.js';
import { apiKeysTable, projectApiKeys } from './api-key-rows.js';
import { apiKeySecretsTable, projectApiKeySecrets } from './api-key-secret-rows.js';

/** The API keys as they are, and the secrets that stand for them. */
export const apiKeysProjection: Projection = {
  name: 'api-keys',
  version: 2,
  eventTypes: Object.keys(apiKeyEvents),
  tables: [apiKeysTable, apiKeySecretsTable],

  async project(events: readonly RecordedEvent[], target: ProjectionTarget): Promise<void> {
    const keyEvents = events as readonly RecordedApiKeyEvent[];
    await projectApiKeys(keyEvents, target);
    await projectApiKeySecrets(keyEvents, target);
  },
};
