import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { EventStore, executeDecider, type EventMetadata } from '#libs/event-store';
import { assertValid } from '#libs/validation';
import { apiKeyDecider } from '../domain/api-key.decider.js';
import { apiKeyStream } from '../domain/api-key-stream.js';
import type { Plan } from '../domain/plan.js';
import { ApiKeyReader } from '../read-model/api-key.reader.js';
import type { ApiKeyView } from '../read-model/api-key.view.js';
import { IsPlan, IsPlanLimit } from './plan.rule.js';

export interface SetApiKeyPlanInput {
  readonly id: bigint;
  readonly plan: string;
  readonly perMinute?: number | undefined;
  readonly perDay?: number | undefined;
  readonly metadata: EventMetadata;
}

/** Puts an API key on a plan. Nothing is recorded when it is on that plan with those limits already. */
export class SetApiKeyPlan extends Command<ApiKeyView> {
  readonly id: bigint;

  @IsPlan()
  readonly plan: Plan;

  @IsPlanLimit()
  readonly perMinute: number | undefined;

  @IsPlanLimit()
  readonly perDay: number | undefined;

  readonly metadata: EventMetadata;

  constructor(input: SetApiKeyPlanInput) {
    super();
    this.id = input.id;
    // The decorator refuses any other plan before it is used.
    this.plan = input.plan as Plan;
    this.perMinute = input.perMinute;
    this.perDay = input.perDay;
    this.metadata = input.metadata;
  }
}

@CommandHandler(SetApiKeyPlan)
export class SetApiKeyPlanHandler implements ICommandHandler<SetApiKeyPlan> {
  constructor(
    private readonly store: EventStore,
    private readonly reader: ApiKeyReader,
  ) {}

  async execute(command: SetApiKeyPlan): Promise<ApiKeyView> {
    assertValid(command);
    const { id, plan, perMinute, perDay, metadata } = command;
    await executeDecider(this.store, {
      decider: apiKeyDecider,
      stream: apiKeyStream(id),
      command: { type: 'change-plan', id, plan, perMinute, perDay },
      metadata,
    });
    return this.reader.get(id);
  }
}
