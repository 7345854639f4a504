import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { ListRange, Page } from '#libs/event-sourcing';
import { type BlankForm, showBlankForm } from '../domain/blank-form.js';
import { BlankFormReader, type blankFormFilters } from '../read-model/blank-forms.projection.js';

export { blankFormFilters } from '../read-model/blank-forms.projection.js';

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
    const row = await this.reader.find(id);
    return row && showBlankForm(row);
  }
}

/** Reads one page, ascending by id unless the range says otherwise. Following `next` returns every one exactly once, even while others are added. */
export class ListBlankForms extends Query<Page<BlankForm>> {
  constructor(readonly range: ListRange<typeof blankFormFilters>) {
    super();
  }
}

@QueryHandler(ListBlankForms)
export class ListBlankFormsHandler implements IQueryHandler<ListBlankForms> {
  constructor(private readonly reader: BlankFormReader) {}

  async execute({ range }: ListBlankForms): Promise<Page<BlankForm>> {
    const { items, next } = await this.reader.list(range);
    return { items: items.map(showBlankForm), next };
  }
}

/** Counts the ones on all pages of a range together, exactly. */
export class CountBlankForms extends Query<number> {
  constructor(readonly range: Omit<ListRange<typeof blankFormFilters>, 'limit'>) {
    super();
  }
}

@QueryHandler(CountBlankForms)
export class CountBlankFormsHandler implements IQueryHandler<CountBlankForms> {
  constructor(private readonly reader: BlankFormReader) {}

  execute({ range }: CountBlankForms): Promise<number> {
    return this.reader.total(range);
  }
}
