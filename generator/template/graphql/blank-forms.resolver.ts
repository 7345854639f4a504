import { QueryBus } from '@nestjs/cqrs';
import { Args, Field, ID, ObjectType, Query, Resolver } from '@nestjs/graphql';
import { readId } from '#libs/http';
import { ConnectionArguments, connectionType, ConnectionRequest, ReadsOnly } from '#libs/graphql';
import type { BlankForm } from '../domain/blank-form.js';
import { GetBlankForm, ListBlankForms } from '../queries/blank-forms.query.js';

@ObjectType('BlankForm', { description: 'One of the blank forms.' })
export class BlankFormType {
  @Field(() => ID, { description: 'Identifier, assigned in the order in which they were added.' })
  readonly id!: string;

  @Field(() => String, { description: 'The name.' })
  readonly name!: string;
}

@ObjectType({ description: 'A page of the blank forms, ascending by id.' })
export class BlankFormConnection extends connectionType(BlankFormType, 'BlankForm') {}

/** The blank forms over GraphQL. */
@Resolver()
export class BlankFormsResolver {
  constructor(private readonly queries: QueryBus) {}

  @ReadsOnly('blank-forms')
  @Query(() => BlankFormType, { nullable: true, description: 'One of the blank forms; null where there is none with this id.' })
  async blankForm(@Args('id', { type: () => ID, description: 'The identifier.' }) id: string): Promise<BlankFormType | null> {
    const found = await this.queries.execute(new GetBlankForm(readId('id', id)));
    return found ? toBlankFormType(found) : null;
  }

  @ReadsOnly('blank-forms')
  @Query(() => BlankFormConnection, { description: 'The blank forms, ascending by id.' })
  async blankForms(@Args() place: ConnectionArguments): Promise<BlankFormConnection> {
    const request = new ConnectionRequest('blankForms', place, {});
    const page = await this.queries.execute(new ListBlankForms(request.range));
    return request.connection(page, toBlankFormType, ({ id }) => id);
  }
}

function toBlankFormType({ id, name }: BlankForm): BlankFormType {
  return { id: id.toString(), name };
}
