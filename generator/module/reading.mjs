import { lines, withImports } from './imports.mjs';

export const readingFiles = (model) => [
  [`read-model/${model.one.kebab}.entity.ts`, entity(model)],
  [`read-model/${model.many.kebab}.projection.ts`, projection(model)],
  [`queries/${model.many.kebab}.query.ts`, queries(model)],
];

function entity({ one, many, status, filters }) {
  const indexes = [...new Set(filters.map(({ member }) => member))].slice(1).map((member) => `@Index(['${member}', 'id'])`);
  return withImports(
    [
      ['typeorm', 'Column', 'Entity', 'Index', 'PrimaryColumn'],
      ['#libs/database', 'columnTypes'],
      [`../domain/${one.kebab}-fields.js`, `${one.pascal}Fields`],
      [`../domain/${one.kebab}.js`, ...(status ? [`type ${status.kind.type}`] : [])],
    ],
    `
/** One of the ${many.prose} that can be read. */
@Entity('${many.snake}')
${lines(indexes)}
export class ${one.pascal}Row extends ${one.pascal}Fields {
  @PrimaryColumn(columnTypes.int64) readonly id!: bigint;
  ${status ? `@Column(${status.kind.column}) readonly status!: ${status.kind.type};` : ''}
  @Column(columnTypes.integer) readonly version!: number;
}
`,
  );
}

function projection({ one, many, shown, filters }) {
  return withImports(
    [
      ['@nestjs/common', 'Injectable'],
      ['#libs/database', 'Database'],
      ['#libs/event-sourcing', 'filter', 'ListReader', 'ReadModels', 'streamProjection'],
      [`../domain/${one.kebab}.decider.js`, `${one.camel}Decider`],
      [`../domain/${one.kebab}.events.js`, `${one.camel}Events`],
      [`../domain/${one.kebab}.js`, ...shown.flatMap(({ kind }) => (kind.list ? [kind.list] : []))],
      [`./${one.kebab}.entity.js`, `${one.pascal}Row`],
    ],
    `
/** The ${many.prose} that can be read, one row each. */
export const ${many.camel}Projection = streamProjection({
  entity: ${one.pascal}Row,
  version: 1,
  events: ${one.camel}Events,
  evolve(row, event) {
    const state = ${one.camel}Decider.evolve(row ? { kind: 'present', ...row } : ${one.camel}Decider.initialState, event);
    return state.kind === 'none' ? undefined : state;
  },
});

/** How the list of ${many.prose} can be narrowed. */
export const ${one.camel}Filters = {
  ${lines(filters.map(({ line }) => line))}
};

/** Reads the ${many.prose} as of the last acknowledged change. */
@Injectable()
export class ${one.pascal}Reader extends ListReader<${one.pascal}Row, typeof ${one.camel}Filters> {
  constructor(database: Database, readModels: ReadModels) {
    super(${many.camel}Projection, ${one.camel}Filters, database, readModels);
  }
}
`,
  );
}

function queries({ one, many }) {
  return `import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { ListRange, Page } from '#libs/event-sourcing';
import { show${one.pascal} } from '../domain/${one.kebab}-fields.js';
import type { ${one.pascal} } from '../domain/${one.kebab}.js';
import { ${one.pascal}Reader, type ${one.camel}Filters } from '../read-model/${many.kebab}.projection.js';

export { ${one.camel}Filters } from '../read-model/${many.kebab}.projection.js';

/** Finds the one with this id; undefined if there is none. */
export class Get${one.pascal} extends Query<${one.pascal} | undefined> {
  constructor(readonly id: bigint) {
    super();
  }
}

@QueryHandler(Get${one.pascal})
export class Get${one.pascal}Handler implements IQueryHandler<Get${one.pascal}> {
  constructor(private readonly reader: ${one.pascal}Reader) {}

  async execute({ id }: Get${one.pascal}): Promise<${one.pascal} | undefined> {
    const row = await this.reader.find(id);
    return row && show${one.pascal}(row);
  }
}

/** Reads one page, ascending by id unless the range says otherwise. Following \`next\` returns every one exactly once, even while others are added. */
export class List${many.pascal} extends Query<Page<${one.pascal}>> {
  constructor(readonly range: ListRange<typeof ${one.camel}Filters>) {
    super();
  }
}

@QueryHandler(List${many.pascal})
export class List${many.pascal}Handler implements IQueryHandler<List${many.pascal}> {
  constructor(private readonly reader: ${one.pascal}Reader) {}

  async execute({ range }: List${many.pascal}): Promise<Page<${one.pascal}>> {
    const { items, next } = await this.reader.list(range);
    return { items: items.map(show${one.pascal}), next };
  }
}

/** Counts the ones on all pages of a range together, exactly. */
export class Count${many.pascal} extends Query<number> {
  constructor(readonly range: Omit<ListRange<typeof ${one.camel}Filters>, 'limit'>) {
    super();
  }
}

@QueryHandler(Count${many.pascal})
export class Count${many.pascal}Handler implements IQueryHandler<Count${many.pascal}> {
  constructor(private readonly reader: ${one.pascal}Reader) {}

  execute({ range }: Count${many.pascal}): Promise<number> {
    return this.reader.total(range);
  }
}
`;
}
