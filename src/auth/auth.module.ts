import { Module, type DynamicModule } from '@nestjs/common';
import type { ModuleContext } from '#libs/http';
import { AuthenticationHook, Authenticator } from './authentication/authentication.hook.js';
import { BanApiKeyHandler } from './commands/ban-api-key.command.js';
import { ChangeApiKeyHandler, ImposeBanHandler, UpdateApiKeyHandler } from './commands/change-api-key.command.js';
import { FirstKeys, IssueApiKeyHandler } from './commands/issue-api-key.command.js';
import { KeyDecisions } from './commands/key-decisions.js';
import { RotateApiKeyHandler } from './commands/rotate-api-key.command.js';
import { Scopes } from './domain/api-key.js';
import { DEPLOYMENT } from './domain/api-key-token.js';
import { ApiKeyUsageResolver } from './graphql/api-key-usage.resolver.js';
import { ApiKeysResolver } from './graphql/api-keys.resolver.js';
import { ApiKeyUsesModule } from './last-use/api-key-uses.js';
import { FindUsableApiKeysHandler, GetApiKeyHandler, ListLatestUsedApiKeysHandler } from './queries/api-keys.query.js';
import { CountKeysHandler, ListKeysHandler } from './queries/list-keys.query.js';
import { ApiKeyReader } from './read-model/api-key.reader.js';
import { KeyActionsController } from './rest/key-actions.controller.js';
import { KeysController } from './rest/keys.controller.js';
import { OwnKeyController } from './rest/own-key.controller.js';

/** API keys: issues, changes and shows them, and authenticates requests for all modules. */
@Module({})
export class AuthModule {
  /** Keys are issued for this deployment, and only its keys are accepted. The command line has no server, so it has no routes. */
  static forRoot({ deployment, purpose, scopes }: Pick<ModuleContext, 'deployment' | 'purpose' | 'scopes'>): DynamicModule {
    return {
      module: AuthModule,
      global: true,
      imports: [ApiKeyUsesModule],
      controllers: purpose === 'service' ? [OwnKeyController, KeysController, KeyActionsController] : [],
      providers: [
        { provide: DEPLOYMENT, useValue: deployment },
        { provide: Scopes, useValue: new Scopes(scopes) },
        ApiKeyReader,
        Authenticator,
        AuthenticationHook,
        FirstKeys,
        KeyDecisions,
        BanApiKeyHandler,
        ChangeApiKeyHandler,
        ImposeBanHandler,
        IssueApiKeyHandler,
        RotateApiKeyHandler,
        UpdateApiKeyHandler,
        CountKeysHandler,
        FindUsableApiKeysHandler,
        GetApiKeyHandler,
        ListKeysHandler,
        ListLatestUsedApiKeysHandler,
        ApiKeysResolver,
        ApiKeyUsageResolver,
      ],
      exports: [AuthenticationHook, FirstKeys],
    };
  }
}
