import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApplicationError } from '#libs/observability';
import { IssueApiKey } from './commands/issue-api-key.command.js';
import { Scopes } from './commands/scopes.js';
import { DEPLOYMENT, type Deployment } from './domain/api-key-token.js';
import { ApiKeyReader } from './read-model/api-key.reader.js';

/** The key that a developer gets on a first start. */
@Injectable()
export class DemoKey {
  constructor(
    private readonly commandBus: CommandBus,
    private readonly reader: ApiKeyReader,
    private readonly scopes: Scopes,
    @Inject(DEPLOYMENT) private readonly deployment: Deployment,
  ) {}

  /**
   * In development, if no key exists at all, issues the key `demo` with all scopes.
   * @returns its token, to be printed once; undefined if there is none to print, also if another instance issued it
   */
  async ensureDemoKey(): Promise<string | undefined> {
    if (this.deployment !== 'development' || (await this.reader.count()) > 0) return undefined;
    const command = new IssueApiKey({ name: 'demo', scopes: this.scopes.all(), once: 'demo', metadata: { actor: 'system' } });
    try {
      const { key } = await this.commandBus.execute(command);
      return key ?? undefined;
    } catch (error) {
      if (error instanceof ApplicationError && error.code === 'idempotency_key_in_progress') return undefined;
      throw error;
    }
  }
}
