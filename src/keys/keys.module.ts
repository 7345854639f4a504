import { Module, type DynamicModule } from '@nestjs/common';
import type { ModuleContext } from '#libs/http';
import { ApiKeyUsageResolver } from './graphql/api-key-usage.resolver.js';
import { ApiKeysResolver } from './graphql/api-keys.resolver.js';
import { CountKeysHandler, ListKeysHandler } from './queries/list-keys.query.js';
import { KeyActionsController } from './rest/key-actions.controller.js';
import { KeysController } from './rest/keys.controller.js';
import { OwnKeyController } from './rest/own-key.controller.js';

/** API keys over REST and GraphQL. The command line has no server, so it has no routes. */
@Module({})
export class KeysModule {
  static forRoot({ purpose }: Pick<ModuleContext, 'purpose'>): DynamicModule {
    return {
      module: KeysModule,
      controllers: purpose === 'service' ? [OwnKeyController, KeysController, KeyActionsController] : [],
      providers: [ListKeysHandler, CountKeysHandler, ApiKeysResolver, ApiKeyUsageResolver],
    };
  }
}
