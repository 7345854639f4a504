import { ArgsType, Field, registerEnumType } from '@nestjs/graphql';
import type { PeriodLength } from '#libs/event-sourcing';
import { DateTimeScalar } from './scalars.js';

const PeriodType = { DAY: 'day', WEEK: 'week', MONTH: 'month' } as const satisfies Record<string, PeriodLength>;

registerEnumType(PeriodType, {
  name: 'Period',
  description: 'A part of the calendar in UTC.',
  valuesMap: {
    DAY: { description: 'A day.' },
    WEEK: { description: 'A week, from Monday on.' },
    MONTH: { description: 'A month.' },
  },
});

/** The arguments of a field that counts over time. */
@ArgsType()
export class CountArguments {
  @Field(() => DateTimeScalar, { nullable: true, description: 'Count as it was at this moment, that moment included. Not with `every`.' })
  readonly asOf?: Date | null;

  @Field(() => PeriodType, { nullable: true, description: 'Count at the end of each day, week or month; of the present one: now.' })
  readonly every?: PeriodLength | null;

  @Field(() => DateTimeScalar, { nullable: true, description: 'Begin with the period that holds this moment. Default: 30 periods in all.' })
  readonly from?: Date | null;

  @Field(() => DateTimeScalar, { nullable: true, description: 'End with the period that holds this moment. Default: now.' })
  readonly to?: Date | null;
}
