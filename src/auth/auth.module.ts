import { Module, type DynamicModule } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { READ_CONNECTION } from '#libs/database';
import type { ScopeDefinition } from '#libs/domain-modules';
import { AuthenticationHook } from './authentication/authentication.hook.js';
import { Authenticator } from './authentication/authenticator.js';
import { ApiKeyChanges } from './commands/api-key-changes.js';
import { BanApiKeyHandler } from './commands/ban-api-key.command.js';
import { ChangeApiKeyScopesHandler } from './commands/change-api-key-scopes.command.js';
import { IssueApiKeyHandler } from './commands/issue-api-key.command.js';
import { RevokeApiKeyHandler } from './commands/revoke-api-key.command.js';
import { RotateApiKeyHandler } from './commands/rotate-api-key.command.js';
import { SetApiKeyPlanHandler } from './commands/set-api-key-plan.command.js';
import { UnbanApiKeyHandler } from './commands/unban-api-key.command.js';
import { Scopes } from './commands/scopes.js';
import { DemoKey } from './demo-key.js';
import { DEPLOYMENT, type Deployment } from './domain/deployment.js';
import { ApiKeysResolver } from './graphql/api-keys.resolver.js';
import { ApiKeyUses } from './last-use/api-key-uses.js';
import { BrowseApiKeysHandler } from './queries/browse-api-keys.query.js';
import { FindApiKeysByHashHandler } from './queries/find-api-keys-by-hash.query.js';
import { FindUsableApiKeysHandler } from './queries/find-usable-api-keys.query.js';
import { GetApiKeyHandler } from './queries/get-api-key.query.js';
import { HasUsableApiKeyHandler } from './queries/has-usable-api-key.query.js';
import { ListLatestUsedApiKeysHandler } from './queries/list-latest-used-api-keys.query.js';
import { ListApiKeysHandler } from './queries/list-api-keys.query.js';
import { ApiKeyReader } from './read-model/api-key.reader.js';
import { ApiKeyEntity } from './read-model/api-key.entity.js';
import { ApiKeySecretEntity } from './read-model/api-key-secret.entity.js';

const commandHandlers = [
  IssueApiKeyHandler,
  SetApiKeyPlanHandler,
  ChangeApiKeyScopesHandler,
  RotateApiKeyHandler,
  RevokeApiKeyHandler,
  BanApiKeyHandler,
  UnbanApiKeyHandler,
];
const queryHandlers = [
  ListApiKeysHandler,
  BrowseApiKeysHandler,
  ListLatestUsedApiKeysHandler,
  GetApiKeyHandler,
  FindApiKeysByHashHandler,
  FindUsableApiKeysHandler,
  HasUsableApiKeyHandler,
];

export interface AuthModuleOptions {
  /** Keys are made for this deployment, and only its keys are accepted. */
  readonly deployment: Deployment;
  /** Those that a key can have, of all modules. */
  readonly scopes: ReadonlyMap<string, ScopeDefinition>;
}

/** API keys: issuing and changing them, and telling all modules who calls. */
@Module({})
export class AuthModule {
  static forRoot({ deployment, scopes }: AuthModuleOptions): DynamicModule {
    return {
      module: AuthModule,
      global: true,
      imports: [TypeOrmModule.forFeature([ApiKeyEntity, ApiKeySecretEntity], READ_CONNECTION)],
      providers: [
        { provide: DEPLOYMENT, useValue: deployment },
        { provide: Scopes, useValue: new Scopes(scopes) },
        ApiKeyReader,
        ApiKeyChanges,
        ApiKeyUses,
        ApiKeysResolver,
        Authenticator,
        AuthenticationHook,
        DemoKey,
        ...commandHandlers,
        ...queryHandlers,
      ],
      exports: [AuthenticationHook, DemoKey],
    };
  }
}
