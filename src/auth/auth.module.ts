import { Module, type DynamicModule } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { READ_CONNECTION } from '#libs/database';
import { EventRegistry } from '#libs/event-store';
import { ProjectionCatalog } from '#libs/projections';
import { AuthenticationHook } from './authentication/authentication.hook.js';
import { Authenticator } from './authentication/authenticator.js';
import { BanApiKeyHandler } from './commands/ban-api-key.command.js';
import { IssueApiKeyHandler } from './commands/issue-api-key.command.js';
import { RevokeApiKeyHandler } from './commands/revoke-api-key.command.js';
import { RotateApiKeyHandler } from './commands/rotate-api-key.command.js';
import { SetApiKeyPlanHandler } from './commands/set-api-key-plan.command.js';
import { UnbanApiKeyHandler } from './commands/unban-api-key.command.js';
import { DemoKey } from './demo-key.js';
import { apiKeyEventDefinitions } from './domain/api-key.events.js';
import { DEPLOYMENT, type Deployment } from './domain/deployment.js';
import { ApiKeysResolver } from './graphql/api-keys.resolver.js';
import { ApiKeyUses } from './last-use/api-key-uses.js';
import { BrowseApiKeysHandler } from './queries/browse-api-keys.query.js';
import { FindApiKeysByHashHandler } from './queries/find-api-keys-by-hash.query.js';
import { GetApiKeyHandler } from './queries/get-api-key.query.js';
import { ListApiKeysHandler } from './queries/list-api-keys.query.js';
import { ApiKeyReader } from './read-model/api-key.reader.js';
import { ApiKeyEntity } from './read-model/api-key.entity.js';
import { ApiKeySecretEntity } from './read-model/api-key-secret.entity.js';
import { apiKeysProjection } from './read-model/api-keys.projection.js';

const commandHandlers = [
  IssueApiKeyHandler,
  SetApiKeyPlanHandler,
  RotateApiKeyHandler,
  RevokeApiKeyHandler,
  BanApiKeyHandler,
  UnbanApiKeyHandler,
];
const queryHandlers = [ListApiKeysHandler, BrowseApiKeysHandler, GetApiKeyHandler, FindApiKeysByHashHandler];

export interface AuthModuleOptions {
  /** Keys are made for this deployment, and only its keys are accepted. */
  readonly deployment: Deployment;
}

/** API keys: issuing and changing them, and telling who calls. */
@Module({})
export class AuthModule {
  constructor(registry: EventRegistry, projections: ProjectionCatalog) {
    registry.register(...apiKeyEventDefinitions);
    projections.register(apiKeysProjection);
  }

  static forRoot({ deployment }: AuthModuleOptions): DynamicModule {
    return {
      module: AuthModule,
      imports: [TypeOrmModule.forFeature([ApiKeyEntity, ApiKeySecretEntity], READ_CONNECTION)],
      providers: [
        { provide: DEPLOYMENT, useValue: deployment },
        ApiKeyReader,
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
