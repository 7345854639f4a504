import { Field, ObjectType } from '@nestjs/graphql';

@ObjectType({ description: 'Where a page stands in its list.' })
export class PageInfo {
  @Field(() => Boolean, { description: 'Whether items follow after this page.' })
  readonly hasNextPage!: boolean;

  @Field(() => Boolean, { description: 'Whether this page goes on after another one.' })
  readonly hasPreviousPage!: boolean;

  @Field(() => String, { nullable: true, description: 'The cursor of the first item, null on an empty page.' })
  readonly startCursor!: string | null;

  @Field(() => String, { nullable: true, description: 'The cursor of the last item, to give as `after`; null on an empty page.' })
  readonly endCursor!: string | null;
}
