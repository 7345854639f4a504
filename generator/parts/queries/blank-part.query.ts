import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { ApplicationError } from '#libs/observability';

/** Refused until its handler reads something. */
export class BlankPart extends Query<unknown> {
  constructor(readonly id: bigint) {
    super();
  }
}

@QueryHandler(BlankPart)
export class BlankPartHandler implements IQueryHandler<BlankPart> {
  async execute({ id }: BlankPart): Promise<unknown> {
    throw new ApplicationError('internal_error', `The query blank-part is not implemented yet; it was asked for ${id}.`);
  }
}
