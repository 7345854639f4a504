import { Field, Int, ObjectType } from '@nestjs/graphql';
import { DateTimeScalar } from '#libs/graphql-kit';
import type { KeyUsage } from '../queries/list-key-usages.query.js';

@ObjectType('WindowUsage', { description: 'What is used up of a limit in its present window.' })
export class WindowUsageType {
  @Field(() => Int, { description: 'How many requests may be sent in the window.' })
  readonly limit!: number;

  @Field(() => Int, { description: 'How many were sent; more than the limit after a change to a smaller plan.' })
  readonly used!: number;

  @Field(() => Int, { description: 'How many are left.' })
  readonly remaining!: number;

  @Field(() => DateTimeScalar, { description: 'When the window ends.' })
  readonly resetsAt!: Date;
}

@ObjectType('KeyUsage', { description: 'What a key has used up of its plan, as of the last second.' })
export class KeyUsageType {
  @Field(() => WindowUsageType, { description: 'In the present UTC minute.' })
  readonly minute!: WindowUsageType;

  @Field(() => WindowUsageType, { description: 'In the present UTC day.' })
  readonly day!: WindowUsageType;
}

@ObjectType('KeyBan', { description: 'A ban of a key that went on sending after it was refused.' })
export class KeyBanType {
  @Field(() => DateTimeScalar, { description: 'When the ban ends.' })
  readonly until!: Date;

  @Field(() => Int, { description: 'Its place on the ladder of ever longer bans, from 1.' })
  readonly step!: number;
}

export function toKeyUsageType({ minute, day }: KeyUsage): KeyUsageType {
  return { minute: toWindowUsage(minute), day: toWindowUsage(day) };
}

export function toKeyBanType({ ban }: KeyUsage): KeyBanType | null {
  return ban && { until: new Date(ban.until), step: ban.step };
}

function toWindowUsage({ resetsAt, ...usage }: KeyUsage['minute']): WindowUsageType {
  return { ...usage, resetsAt: new Date(resetsAt) };
}
