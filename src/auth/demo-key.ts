import { Inject, Injectable } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApplicationError } from '#libs/errors';
import { IssueApiKey } from './commands/issue-api-key.command.js';
import { Scopes } from './commands/scopes.js';
import { DEPLOYMENT, type Deployment } from './domain/deployment.js';
import { ListApiKeys } from './queries/list-api-keys.query.js';

/** The key a developer finds on a first start. */
@Injectable()
export class DemoKey {
  constructor(
    private readonly commandBus: CommandBus,
    private readonly queryBus: QueryBus,
    private readonly scopes: Scopes,
    @Inject(DEPLOYMENT) private readonly deployment: Deployment,
  ) {}

  /**
   * In development, when no key exists at all, issues the key `demo` with all scopes.
   * @returns its token to be printed once; undefined when there is nothing to print, also when another instance issued it.
   */
  async ensureDemoKey(): Promise<string | undefined> {
    if (this.deployment !== 'development') return undefined;
    const keys = await this.queryBus.execute(new ListApiKeys());
    return keys.length === 0 ? this.issue() : undefined;
  }

  private async issue(): Promise<string | undefined> {
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
