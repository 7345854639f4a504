import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { EventMetadata } from '#libs/event-store';
import { assertValid } from '#libs/validation';
import type { Plan } from '../domain/plan.js';
import { ApiKeyChanges, type ChangedApiKey } from './api-key-changes.js';
import { IsPlan, IsPlanLimit } from './plan.rule.js';

export interface SetApiKeyPlanInput {
  readonly id: bigint;
  readonly plan: string;
  readonly perMinute?: number | undefined;
  readonly perDay?: number | undefined;
  readonly metadata: EventMetadata;
}

/** Puts an API key on a plan. Nothing is recorded when it is on that plan with those limits already. */
export class SetApiKeyPlan extends Command<ChangedApiKey> {
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
  constructor(private readonly changes: ApiKeyChanges) {}

  async execute(command: SetApiKeyPlan): Promise<ChangedApiKey> {
    assertValid(command);
    const { id, plan, perMinute, perDay, metadata } = command;
    return this.changes.make({ type: 'change-plan', id, plan, perMinute, perDay }, metadata);
  }
}
