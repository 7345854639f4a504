import { commandClass, commandPath } from './commands.mjs';
import { withArticle } from './domain.mjs';
import { withImports } from './imports.mjs';
import { clientSample, sampleOf } from './samples.mjs';

export const restFiles = (model) => [
  [`rest/${model.one.kebab}.request.ts`, request(model)],
  [`rest/${model.many.kebab}.controller.ts`, controller(model)],
];

const bodyOf = ({ one }, { verb }) => `${verb.camel}${one.pascal}Body`;

function request(model) {
  const { one, many, fields, add, changes, status } = model;
  const added = commandClass(model, add);
  const further = status ? `, further: { status: { type: 'string', enum: [...${status.kind.list}], description: 'The status.' } }` : '';
  const text = `
export class List${many.pascal}Request extends filteredPageRequest(${one.camel}Filters) {}

export const ${one.camel}Example = { id: 17, ${sampleOf(fields, 0).slice(2, -2)}${status ? `, status: '${add.past.kebab}'` : ''} };

/** The body of a request to ${add.verb.prose} one. */
export const new${one.pascal}Body: DescribedBody = {
  type: ${added},
  schema: 'New${one.pascal}',
  description: 'What has to be said to ${add.verb.prose} ${withArticle(one.prose)}.',
  noun: 'a new ${one.prose}',
  examples: { ${one.camel}: { value: ${sampleOf(fields, 0)} } },
};
${changes
  .map(
    (change) => `
/** The body of a request to ${change.verb.prose} one. */
export const ${bodyOf(model, change)}: DescribedBody = {
  type: ${commandClass(model, change)},
  without: ['id'],
  schema: '${commandClass(model, change)}',
  description: 'What has to be said to ${change.verb.prose} ${withArticle(one.prose)}.',
  noun: 'this request',
  examples: { changed: { value: ${sampleOf(change.fields, 1)} } },
};
`,
  )
  .join('')}
export const ${one.camel}Schema = defineResource('${one.pascal}', { input: ${added}, description: '${withArticle(one.prose, true)}.'${further} });

export const ${one.camel}Answer: DescribedAnswer = {
  description: 'The ${one.prose}.',
  schema: ${one.camel}Schema,
  examples: { ${one.camel}: { value: ${one.camel}Example } },
};

export const ${many.camel}Answer: DescribedAnswer = {
  description: 'The page.',
  schema: definePage('${many.pascal}', ${one.camel}Schema, 'A page of ${many.prose}.'),
  examples: { page: { value: [${one.camel}Example] }, empty: { value: [] } },
  headers: totalCountHeader,
};

/** Data of public events: the ${one.prose} just after the event. */
export const published${many.pascal} = publicResource({
  category: ${one.screaming}_CATEGORY,
  collection: '${many.kebab}',
  schema: ${one.camel}Schema,
  example: ${status && changes.length === 0 ? `(type) => ({ ...${one.camel}Example, status: ${statusIn(status)} })` : `() => ${one.camel}Example`},
  decider: ${one.camel}Decider,
  show: (id, { state }) => (state.kind === 'none' ? undefined : to${one.pascal}(id, state)),
});
`;
  return withImports(
    [
      [
        '#libs/http',
        ...['definePage', 'defineResource', 'filteredPageRequest', 'publicResource', 'totalCountHeader'],
        ...['type DescribedAnswer', 'type DescribedBody'],
      ],
      ...[add, ...changes].map((each) => [`../${commandPath(model, each)}.js`, commandClass(model, each)]),
      [`../domain/${one.kebab}.decider.js`, `${one.camel}Decider`, `to${one.pascal}`],
      [`../domain/${one.kebab}.js`, `${one.screaming}_CATEGORY`, ...(status ? [status.kind.list] : [])],
      [`../queries/${many.kebab}.query.js`, `${one.camel}Filters`],
    ],
    text,
  );
}

function controller(model) {
  const { one, many, fields, add, others, changes, filters } = model;
  const isTimed = filters.some(({ kind }) => kind?.type === 'Date');
  const text = `
/** The ${many.prose} over REST. */
@ApiTags('${many.kebab}')
@RequiresScope('${many.kebab}')
@Controller('${many.kebab}')
export class ${many.pascal}Controller {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get()
  @CacheByProjection({ readModel: '${many.kebab}' })
  @Operation({
    id: 'list${many.pascal}',
    clientSample: 'for await (const each of client.${many.camel}.list()) console.log(each);',
    summary: 'List ${many.prose}',
    description: 'One page, ascending by id${isTimed ? ', with a filter by time by that time,' : ''} unless \`order\` says otherwise. Following the next links meets every one once, also while others are added.',
    answer: ${many.camel}Answer,
  })
  async list${many.pascal}(
    @ReadQuery(List${many.pascal}Request) request: List${many.pascal}Request,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<readonly ${one.pascal}[]> {
    const range = filteredRangeOf(${one.camel}Filters, request);
    const { items, next } = await this.queries.execute(new List${many.pascal}(range));
    await addTotalCount(reply, request, () => this.queries.execute(new Count${many.pascal}(range)));
    linkNextPage(reply, request, next);
    return items;
  }

  @Post()
  @Operation({
    id: '${add.verb.camel}${one.pascal}',
    clientSample: 'console.log(await client.${many.camel}.${add.verb.camel}({ ${clientSample(fields, 0)} }));',
    summary: '${capital(add.verb.prose)} ${withArticle(one.prose)}',
    description: 'With an Idempotency-Key the request can be repeated and is done once.',
    answer: ${one.camel}Answer,
  })
  async ${add.verb.camel}${one.pascal}(
    @ReadBody(new${one.pascal}Body) values: Unchecked<New${one.pascal}>,
    @CallerMetadata() metadata: EventMetadata,
    @IdempotencyKey() idempotency: RequestIdempotency | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<${one.pascal}> {
    const { ${one.camel}, replayed } = await this.commands.execute(new ${commandClass(model, add)}(values, metadata, idempotency));
    reply.header('Location', \`/v1/${many.kebab}/\${${one.camel}.id}\`);
    if (replayed) reply.header('Idempotency-Replayed', 'true');
    return ${one.camel};
  }

  @Get(':${one.camel}Id')
  @CacheByProjection({ readModel: '${many.kebab}' })
  @Operation({
    id: 'get${one.pascal}',
    clientSample: 'console.log(await client.${many.camel}.get(1n));',
    summary: 'Get ${withArticle(one.prose)}',
    description: 'Gives the one with this id.',
    answer: ${one.camel}Answer,
    refuses: [404],
  })
  async get${one.pascal}(@ReadId('${one.camel}Id', 'The id that it was given.') id: bigint): Promise<${one.pascal}> {
    const ${one.camel} = await this.queries.execute(new Get${one.pascal}(id));
    if (!${one.camel}) throw new NotFoundError('${one.prose}', id);
    return ${one.camel};
  }
${others.map((other) => changeRoute(model, other)).join('')}
}
`;
  return withImports(
    [
      ['@nestjs/common', 'Controller', 'Get', 'Post', 'Res'],
      ['@nestjs/cqrs', 'CommandBus', 'QueryBus'],
      ['@nestjs/swagger', 'ApiTags'],
      ['fastify', 'type FastifyReply'],
      ['#libs/event-sourcing', 'type EventMetadata', 'type RequestIdempotency'],
      [
        '#libs/http',
        'addTotalCount',
        'CacheByProjection',
        'filteredRangeOf',
        'linkNextPage',
        'Operation',
        'ReadBody',
        'ReadId',
        'ReadQuery',
        'type Unchecked',
      ],
      ['#libs/observability', 'NotFoundError'],
      ['../../auth/index.js', 'CallerMetadata', 'IdempotencyKey', 'RequiresScope'],
      ...[add, ...others].map((each) => [`../${commandPath(model, each)}.js`, commandClass(model, each)]),
      [`../domain/${one.kebab}.js`, `type New${one.pascal}`, `type ${one.pascal}`],
      [`../queries/${many.kebab}.query.js`, `Count${many.pascal}`, `Get${one.pascal}`, `List${many.pascal}`, `${one.camel}Filters`],
      [
        `./${one.kebab}.request.js`,
        `${one.camel}Answer`,
        `${many.camel}Answer`,
        `List${many.pascal}Request`,
        `new${one.pascal}Body`,
        ...changes.map((change) => bodyOf(model, change)),
      ],
    ],
    text,
  );
}

function changeRoute(model, other) {
  const { one, many } = model;
  const { verb, past, fields } = other;
  const method = `${verb.camel}${one.pascal}`;
  const body = fields
    ? `@ReadBody(${bodyOf(model, other)}) values: Unchecked<Pick<New${one.pascal}, ${fields.map(({ name }) => `'${name}'`).join(' | ')}>>,`
    : '';
  return `
  @Post(':${one.camel}Id/${verb.kebab}')
  @Operation({
    id: '${method}',
    clientSample: 'console.log(await client.${many.camel}.${verb.camel}(1n${fields ? `, { ${clientSample(fields, 1)} }` : ''}));',
    summary: '${capital(verb.prose)} ${withArticle(one.prose)}',
    description: 'One that ${fields ? 'has these values' : `is ${past.prose}`} already stays as it is.',
    answer: { ...${one.camel}Answer, status: 200 },
    refuses: [404],
  })
  async ${method}(@ReadId('${one.camel}Id', 'The id that it was given.') id: bigint, ${body} @CallerMetadata() metadata: EventMetadata): Promise<${one.pascal}> {
    const { ${one.camel} } = await this.commands.execute(new ${commandClass(model, other)}({ ${fields ? '...values, ' : ''}id }, metadata));
    return ${one.camel};
  }
`;
}

function capital(text) {
  return `${text[0].toUpperCase()}${text.slice(1)}`;
}

/** The status in the type of an event, such as `checked-in` in `visit.checked_in`. */
function statusIn({ kind }) {
  return `type.slice(type.indexOf('.') + 1)${kind.words.some((word) => word.includes('-')) ? ".replaceAll('_', '-')" : ''}`;
}
