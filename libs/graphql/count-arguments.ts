import { ArgsType, Field } from '@nestjs/graphql';
import type { PeriodLength } from '#libs/event-sourcing';
import { DateTimeScalar, enumType } from './scalars.js';

const PeriodType = enumType<PeriodLength>('Period', 'A part of the calendar in UTC.', {
  day: 'A day.',
  week: 'A week, from Monday on.',
  month: 'A month.',
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
