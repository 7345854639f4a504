import { Module, type DynamicModule } from '@nestjs/common';
import type { ModuleContext } from '#libs/http';
import { AuthenticationHook, Authenticator } from './authentication/authentication.hook.js';
import { ChangeApiKeyHandler } from './commands/change-api-key.command.js';
import { FirstKeys, IssueApiKeyHandler } from './commands/issue-api-key.command.js';
import { KeyDecisions } from './commands/key-decisions.js';
import { Scopes } from './domain/api-key.js';
import { DEPLOYMENT } from './domain/api-key-token.js';
import { ApiKeysResolver } from './graphql/api-keys.resolver.js';
import { ApiKeyUsesModule } from './last-use/api-key-uses.js';
import {
  CountKeysHandler,
  FindUsableApiKeysHandler,
  GetApiKeyHandler,
  ListKeysHandler,
  ListLatestUsedApiKeysHandler,
} from './queries/api-keys.query.js';
import { ApiKeyReader } from './read-model/api-key.reader.js';
import { KeyChangesController } from './rest/key-changes.controller.js';
import { KeysController } from './rest/keys.controller.js';

/** API keys: issues, changes and shows them, and authenticates requests for all modules. */
@Module({})
export class AuthModule {
  /** Keys are issued for this deployment, and only its keys are accepted. The command line has no server, so it has no routes. */
  static forRoot({ deployment, purpose, scopes }: Pick<ModuleContext, 'deployment' | 'purpose' | 'scopes'>): DynamicModule {
    return {
      module: AuthModule,
      global: true,
      imports: [ApiKeyUsesModule],
      controllers: purpose === 'service' ? [KeysController, KeyChangesController] : [],
      providers: [
        { provide: DEPLOYMENT, useValue: deployment },
        { provide: Scopes, useValue: new Scopes(scopes) },
        ApiKeyReader,
        Authenticator,
        AuthenticationHook,
        FirstKeys,
        KeyDecisions,
        ChangeApiKeyHandler,
        IssueApiKeyHandler,
        CountKeysHandler,
        FindUsableApiKeysHandler,
        GetApiKeyHandler,
        ListKeysHandler,
        ListLatestUsedApiKeysHandler,
        ApiKeysResolver,
      ],
      exports: [AuthenticationHook, FirstKeys, KeyDecisions],
    };
  }
}
