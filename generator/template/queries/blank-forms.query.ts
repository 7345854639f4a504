import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { Database, identifier, raw, sql } from '#libs/database';
import { ReadModels, projectionTableName, toPage, type Page, type PageRange } from '#libs/event-sourcing';
import type { BlankForm } from '../domain/blank-form.js';
import { BLANK_FORMS, blankFormsProjection } from '../read-model/blank-forms.projection.js';

interface BlankFormRow {
  readonly id: bigint | string;
  readonly name: string;
}

const SELECT = sql`SELECT "id", "name" FROM ${identifier(projectionTableName(blankFormsProjection, BLANK_FORMS))}`;

/** The one with this id; undefined where there is none. */
export class GetBlankForm extends Query<BlankForm | undefined> {
  constructor(readonly id: bigint) {
    super();
  }
}

@QueryHandler(GetBlankForm)
export class GetBlankFormHandler implements IQueryHandler<GetBlankForm> {
  constructor(
    private readonly database: Database,
    private readonly readModels: ReadModels,
  ) {}

  async execute({ id }: GetBlankForm): Promise<BlankForm | undefined> {
    await this.readModels.current(blankFormsProjection);
    const [found] = await this.database.reader.query<BlankFormRow>(sql`${SELECT} WHERE "id" = ${id}`);
    return found && fromBlankFormRow(found);
  }
}

/** One page, ascending by id. Going on after `next` meets every one once, also while others are added. */
export class ListBlankForms extends Query<Page<BlankForm>> {
  constructor(readonly range: PageRange) {
    super();
  }
}

@QueryHandler(ListBlankForms)
export class ListBlankFormsHandler implements IQueryHandler<ListBlankForms> {
  constructor(
    private readonly database: Database,
    private readonly readModels: ReadModels,
  ) {}

  async execute({ range }: ListBlankForms): Promise<Page<BlankForm>> {
    await this.readModels.current(blankFormsProjection);
    return toPage(
      range,
      (further) => this.read(further),
      ({ id }) => id,
    );
  }

  private async read({ limit, after }: PageRange): Promise<readonly BlankForm[]> {
    const condition = after === undefined ? raw('') : sql`WHERE "id" > ${after}`;
    const rows = await this.database.reader.query<BlankFormRow>(sql`${SELECT} ${condition} ORDER BY "id" LIMIT ${limit}`);
    return rows.map(fromBlankFormRow);
  }
}

function fromBlankFormRow({ id, name }: BlankFormRow): BlankForm {
  return { id: BigInt(id), name };
}
