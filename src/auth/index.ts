import { domainModule } from '#libs/http';
import { AuthModule, type AuthModuleOptions } from './auth.module.js';
import { apiKeyEvents } from './domain/api-key.events.js';
import { CreateApiKeyUses1767226300000 } from './last-use/api-key-uses.js';
import { apiKeysProjection } from './read-model/api-keys.projection.js';

export { AuthenticationHook } from './authentication/authentication.hook.js';
export {
  CallerMetadata,
  getCaller,
  CurrentCaller,
  IdempotencyKey,
  InsufficientScopeError,
  Public,
  RequiresScope,
  type Caller,
} from './authentication/caller.decorator.js';
export { BanApiKey, ChangeApiKey, RotateApiKey } from './commands/change-api-key.command.js';
export { FirstKeys, IssueApiKey, type IssueApiKeyInput } from './commands/issue-api-key.command.js';
export type { Deployment } from './domain/api-key-token.js';
export type { Limits, Plan, RecordedBan } from './domain/api-key.js';
export { ApiKeyType } from './graphql/api-keys.resolver.js';
export {
  BrowseApiKeys,
  FindUsableApiKeys,
  GetApiKey,
  ListLatestUsedApiKeys,
  type ApiKeyView,
  type LatestUsedApiKeys,
  type UsedApiKey,
} from './queries/api-keys.query.js';

/** API keys, and what each of them may do. */
export const auth = domainModule<AuthModuleOptions>({
  name: 'auth',
  configuredModule: (settings) => AuthModule.forRoot(settings),
  events: apiKeyEvents,
  projections: [apiKeysProjection],
  migrations: [CreateApiKeyUses1767226300000],
  tables: ['api_key_uses'],
});
