import { domainModule } from '#libs/domain-modules';
import { AuthModule, type AuthModuleOptions } from './auth.module.js';
import { apiKeyEvents } from './domain/api-key.events.js';
import { CreateApiKeyUses1767226300000 } from './last-use/create-api-key-uses.migration.js';
import { apiKeysProjection } from './read-model/api-keys.projection.js';

export { InsufficientScopeError } from './authentication/authentication.errors.js';
export { AuthenticationHook } from './authentication/authentication.hook.js';
export { Public, RequiresScope } from './authentication/route-access.decorator.js';
export { callerOf, type Caller } from './authentication/caller.js';
export { SetApiKeyPlan } from './commands/set-api-key-plan.command.js';
export { UnbanApiKey } from './commands/unban-api-key.command.js';
export { CallerMetadata, CurrentCaller, IdempotencyKey } from './authentication/request-parameters.decorator.js';
export { ApiKeyType } from './graphql/api-key.type.js';
export { IssueApiKey, type IssueApiKeyInput } from './commands/issue-api-key.command.js';
export { RevokeApiKey } from './commands/revoke-api-key.command.js';
export { RotateApiKey } from './commands/rotate-api-key.command.js';
export { BrowseApiKeys, type UsedApiKey } from './queries/browse-api-keys.query.js';
export { BanApiKey } from './commands/ban-api-key.command.js';
export { DemoKey } from './demo-key.js';
export type { Deployment } from './domain/deployment.js';
export { PLANS, type Limits, type Plan } from './domain/plan.js';
export { FindUsableApiKeys } from './queries/find-usable-api-keys.query.js';
export { HasUsableApiKey } from './queries/has-usable-api-key.query.js';
export { ListLatestUsedApiKeys, type LatestUsedApiKeys } from './queries/list-latest-used-api-keys.query.js';
export { GetApiKey } from './queries/get-api-key.query.js';
export type { ApiKeyView } from './read-model/api-key.view.js';

/** The API keys, and who may ask for what. */
export const auth = domainModule<AuthModuleOptions>({
  name: 'auth',
  configuredModule: (settings) => AuthModule.forRoot(settings),
  events: apiKeyEvents,
  projections: [apiKeysProjection],
  migrations: [CreateApiKeyUses1767226300000],
  tables: ['api_key_uses'],
});
