import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { Page, PageRange } from '#libs/event-sourcing';
import type { BlankForm } from '../domain/blank-form.js';
import { BlankFormReader } from '../read-model/blank-forms.projection.js';

/** Finds the one with this id; undefined if there is none. */
export class GetBlankForm extends Query<BlankForm | undefined> {
  constructor(readonly id: bigint) {
    super();
  }
}

@QueryHandler(GetBlankForm)
export class GetBlankFormHandler implements IQueryHandler<GetBlankForm> {
  constructor(private readonly reader: BlankFormReader) {}

  async execute({ id }: GetBlankForm): Promise<BlankForm | undefined> {
    const found = await this.reader.find(id);
    return found && toBlankForm(found);
  }
}

/** Reads one page, ascending by id. Following `next` returns every one exactly once, even while others are added. */
export class ListBlankForms extends Query<Page<BlankForm>> {
  constructor(readonly range: PageRange) {
    super();
  }
}

@QueryHandler(ListBlankForms)
export class ListBlankFormsHandler implements IQueryHandler<ListBlankForms> {
  constructor(private readonly reader: BlankFormReader) {}

  async execute({ range }: ListBlankForms): Promise<Page<BlankForm>> {
    const { items, next } = await this.reader.page(range);
    return { items: items.map(toBlankForm), next };
  }
}

/** Returns the members that clients see. */
function toBlankForm({ id, name }: BlankForm): BlankForm {
  return { id, name };
}
