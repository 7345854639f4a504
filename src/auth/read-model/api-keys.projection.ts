import { typesOf } from '#libs/event-store';
import type { Projection, ProjectionTarget } from '#libs/projections';
import { apiKeyEvents, type ApiKeyEvent, type RecordedApiKeyEvent } from '../domain/api-key.events.js';
import { apiKeysTable, projectApiKeys } from './api-key-rows.js';
import { apiKeySecretsTable, projectApiKeySecrets } from './api-key-secret-rows.js';

/** The API keys as they are, and the secrets that stand for them. */
export const apiKeysProjection: Projection<ApiKeyEvent> = {
  name: 'api-keys',
  version: 5,
  eventTypes: typesOf(apiKeyEvents),
  tables: [apiKeysTable, apiKeySecretsTable],

  async project(events: readonly RecordedApiKeyEvent[], target: ProjectionTarget): Promise<void> {
    await projectApiKeys(events, target);
    await projectApiKeySecrets(events, target);
  },
};
