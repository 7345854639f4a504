import { QueryBus } from '@nestjs/cqrs';
import { Args, ArgsType, Field, ID, ObjectType, Query, Resolver } from '@nestjs/graphql';
import {
  ConnectionArguments,
  ConnectionRequest,
  connectionType,
  DateTimeScalar,
  enumType,
  filterType,
  readFilter,
  ReadsOnly,
} from '#libs/graphql';
import { readId } from '#libs/http';
import {
  BLANK_FORM_BLANK_WORDS,
  BLANK_FORM_BLANK_STATES,
  type BlankForm,
  type BlankFormBlankWord,
  type BlankFormBlankState,
} from '../domain/blank-form.js';
import { blankFormFilters, CountBlankForms, GetBlankForm, ListBlankForms } from '../queries/blank-forms.query.js';

// each field
const BlankFormBlankWordType = enumType('BlankFormBlankWord', 'The blank word.', BLANK_FORM_BLANK_WORDS);
// if state
const BlankFormBlankStateType = enumType('BlankFormBlankState', 'Where a blank form is.', BLANK_FORM_BLANK_STATES);
// end

@ObjectType('BlankForm', { description: 'A blank form.' })
export class BlankFormType {
  @Field(() => ID, { description: 'Identifier, assigned in the order in which they were blank opened.' })
  readonly id!: string;

  // each field
  @Field(() => String, { nullable: true, description: 'The blank text; null if it is not known.' })
  readonly blankText?: string | undefined;

  @Field(() => ID, { nullable: true, description: 'The blank integer; null if it is not known.' })
  readonly blankInteger?: string | undefined;

  @Field(() => DateTimeScalar, { nullable: true, description: 'The blank time; null if it is not known.' })
  readonly blankTime?: Date | undefined;

  @Field(() => Boolean, { nullable: true, description: 'The blank flag; null if it is not known.' })
  readonly blankFlag?: boolean | undefined;

  @Field(() => BlankFormBlankWordType, { nullable: true, description: 'The blank word; null if it is not known.' })
  readonly blankWord?: BlankFormBlankWord | undefined;

  // if state
  @Field(() => BlankFormBlankStateType, { description: 'The blank state.' })
  readonly blankState!: BlankFormBlankState;
}

@ObjectType({ description: 'A page of blank forms.' })
export class BlankFormConnection extends connectionType(BlankFormType, 'BlankForm') {}

const BlankFormFilterType = filterType('BlankFormFilter', blankFormFilters, {
  // each field
  blankWordIn: BlankFormBlankWordType,
  // if state
  blankStateIn: BlankFormBlankStateType,
});

@ArgsType()
class BlankFormsArguments extends ConnectionArguments {
  @Field(() => BlankFormFilterType, { nullable: true, description: 'Only blank forms that match.' })
  readonly filter?: object;
}

/** The blank forms over GraphQL. */
@Resolver()
export class BlankFormsResolver {
  constructor(private readonly queries: QueryBus) {}

  @ReadsOnly('blank-forms')
  @Query(() => BlankFormType, { nullable: true, description: 'A blank form; null if none has this id.' })
  async blankForm(@Args('id', { type: () => ID, description: 'The identifier.' }) id: string): Promise<BlankFormType | null> {
    const found = await this.queries.execute(new GetBlankForm(readId('id', id)));
    return found ? toBlankFormType(found) : null;
  }

  @ReadsOnly('blank-forms')
  @Query(() => BlankFormConnection, {
    description: 'The blank forms, ascending by id, with a filter by time by that time, unless `orderBy` says otherwise.',
  })
  async blankForms(@Args() { filter, ...place }: BlankFormsArguments): Promise<BlankFormConnection> {
    const request = new ConnectionRequest(
      'blankForms',
      place,
      { filter },
      // if time
      { hasTimeOrder: true },
    );
    const filters = readFilter(blankFormFilters, filter);
    const page = await this.queries.execute(new ListBlankForms({ ...request.range, filters }));
    const count = () => this.queries.execute(new CountBlankForms({ filters }));
    return request.connection(page, { toNode: toBlankFormType, numberOf: ({ id }) => id, count });
  }
}

export function toBlankFormType(from: BlankForm): BlankFormType {
  return {
    ...from,
    id: from.id.toString(),
    // each field
    blankInteger: from.blankInteger?.toString(),
  };
}
