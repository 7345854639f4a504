import { Module, type DynamicModule } from '@nestjs/common';
import type { ScopeDefinition } from '#libs/http';
import { AuthenticationHook, Authenticator } from './authentication/authentication.hook.js';
import { BanApiKeyHandler } from './commands/ban-api-key.command.js';
import { ChangeApiKeyHandler, ImposeBanHandler, UpdateApiKeyHandler } from './commands/change-api-key.command.js';
import { FirstKeys, IssueApiKeyHandler } from './commands/issue-api-key.command.js';
import { KeyDecisions } from './commands/key-decisions.js';
import { RotateApiKeyHandler } from './commands/rotate-api-key.command.js';
import { Scopes } from './domain/api-key.js';
import { DEPLOYMENT, type Deployment } from './domain/api-key-token.js';
import { ApiKeyUsesModule } from './last-use/api-key-uses.js';
import { apiKeyQueryHandlers } from './queries/api-keys.query.js';
import { ApiKeyReader } from './read-model/api-key.reader.js';

export interface AuthModuleOptions {
  /** Keys are issued for this deployment, and only its keys are accepted. */
  readonly deployment: Deployment;
  /** The scopes that a key can have, of all modules. */
  readonly scopes: ReadonlyMap<string, ScopeDefinition>;
}

/** API keys: issues and changes them, and authenticates requests for all modules. */
@Module({})
export class AuthModule {
  static forRoot({ deployment, scopes }: AuthModuleOptions): DynamicModule {
    return {
      module: AuthModule,
      global: true,
      imports: [ApiKeyUsesModule],
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
        ...apiKeyQueryHandlers,
      ],
      exports: [AuthenticationHook, FirstKeys],
    };
  }
}
