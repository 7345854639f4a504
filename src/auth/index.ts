import { domainModule } from '#libs/http';
import { AuthModule } from './auth.module.js';
import { authErrors } from './domain/api-key.errors.js';
import { apiKeyEvents } from './domain/api-key.events.js';
import { MANAGE_KEYS } from './domain/api-key.js';
import { createApiKeyUses } from './last-use/api-key-uses.js';
import { apiKeysProjection } from './read-model/api-keys.projection.js';

export { AuthenticationHook } from './authentication/authentication.hook.js';
export {
  CallerMetadata,
  getCaller,
  CurrentCaller,
  IdempotencyKey,
  Public,
  RequiresKey,
  RequiresScope,
  type Caller,
} from './authentication/caller.decorator.js';
export { ChangeApiKey } from './commands/change-api-key.command.js';
export { FirstKeys, IssueApiKey } from './commands/issue-api-key.command.js';
export { KeyDecisions } from './commands/key-decisions.js';
export type { ApiKeyValues } from './domain/api-key.decider.js';
export type { Deployment } from './domain/api-key-token.js';
export type { RecordedBan } from './domain/api-key.js';
export {
  LONGEST_WINDOW,
  MAX_LIMIT,
  PLANS,
  SHORTEST_WINDOW,
  toWindowLimits,
  WINDOWS,
  type LimitName,
  type Limits,
  type Plan,
  type WindowLimit,
  type WindowName,
} from './domain/plans.js';
export { InsufficientScopeError } from './domain/api-key.errors.js';
export { CountKeys, FindUsableApiKeys, GetApiKey, ListKeys, ListLatestUsedApiKeys, type UsedApiKey } from './queries/api-keys.query.js';
export {
  FindUsedToday,
  GetKeyLimits,
  ListDailyUsage,
  ListKeyUsages,
  type KeyLimits,
  type KeyUsage,
  type UsageOfDay,
  type WindowUsage,
  type WindowUsages,
} from './queries/key-usage.query.js';
export { ListKeysRequest } from './rest/key.request.js';
export { banInForce, KEY_STATUSES, keyStatus, type ApiKeyView, type KeyStatus } from './domain/api-key-view.js';

/** API keys, and what each of them may do: over REST, GraphQL and the command line. */
export const auth = domainModule({
  // The tag of its operations in the document.
  name: 'keys',
  configuredModule: (context) => AuthModule.forRoot(context),
  events: apiKeyEvents,
  projections: [apiKeysProjection],
  migrations: [createApiKeyUses],
  scopes: {
    [MANAGE_KEYS]: {
      description: 'API keys under `/v1/keys`: issuing, changing, banning and ending them, as far as it may do the same itself',
    },
  },
  errors: authErrors,
  documentTag: { title: 'API keys', description: 'API keys: your own, and those that you manage.' },
});
