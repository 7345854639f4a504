import { withArticle } from './domain.mjs';
import { lines, withImports } from './imports.mjs';

export const graphqlFiles = (model) => [[`graphql/${model.many.kebab}.resolver.ts`, resolver(model)]];

function resolver({ one, many, add, shown, status, filters }) {
  const described = (field) => (field === status ? 'The status.' : `${field.what}.`);
  const enums = shown
    .filter(({ kind }) => kind.words)
    .map(
      (field) => `
const ${field.kind.graphql} = enumType('${field.kind.type}', '${field === status ? `Where ${withArticle(one.prose)} is.` : `${field.what}.`}', ${field.kind.list});
`,
    );
  const words = filters.filter(({ kind }) => kind?.words).map(({ name, kind }) => `${name}: ${kind.graphql}`);
  const isTimed = filters.some(({ kind }) => kind?.type === 'Date');
  const text = `${enums.join('')}
@ObjectType('${one.pascal}', { description: '${withArticle(one.prose, true)}.' })
export class ${one.pascal}Type {
  @Field(() => ID, { description: 'Identifier, assigned in the order in which they were ${add.past.prose}.' })
  readonly id!: string;

  ${shown
    .map(
      (field) => `@Field(() => ${field.kind.graphql}, { ${field.optional ? 'nullable: true, ' : ''}description: '${described(field)}' })
  readonly ${field.name}${field.optional ? '?' : '!'}: ${field.kind.graphqlType}${field.optional ? ' | undefined' : ''};
`,
    )
    .join('\n  ')}
}

@ObjectType({ description: 'A page of ${many.prose}.' })
export class ${one.pascal}Connection extends connectionType(${one.pascal}Type, '${one.pascal}') {}

const ${one.pascal}FilterType = filterType('${one.pascal}Filter', ${one.camel}Filters${words.length > 0 ? `, { ${words.join(', ')} }` : ''});

@ArgsType()
class ${many.pascal}Arguments extends ConnectionArguments {
  @Field(() => ${one.pascal}FilterType, { nullable: true, description: 'Only ${many.prose} that match.' })
  readonly filter?: object;
}

/** The ${many.prose} over GraphQL. */
@Resolver()
export class ${many.pascal}Resolver {
  constructor(private readonly queries: QueryBus) {}

  @ReadsOnly('${many.kebab}')
  @Query(() => ${one.pascal}Type, { nullable: true, description: '${withArticle(one.prose, true)}; null if none has this id.' })
  async ${one.camel}(@Args('id', { type: () => ID, description: 'The identifier.' }) id: string): Promise<${one.pascal}Type | null> {
    const found = await this.queries.execute(new Get${one.pascal}(readId('id', id)));
    return found ? to${one.pascal}Type(found) : null;
  }

  @ReadsOnly('${many.kebab}')
  @Query(() => ${one.pascal}Connection, { description: 'The ${many.prose}, ascending by id${isTimed ? ', with a filter by time by that time,' : ''} unless \`orderBy\` says otherwise.' })
  async ${many.camel}(@Args() { filter, ...place }: ${many.pascal}Arguments): Promise<${one.pascal}Connection> {
    const request = new ConnectionRequest('${many.camel}', place, { filter }${isTimed ? ', { hasTimeOrder: true }' : ''});
    const filters = readFilter(${one.camel}Filters, filter);
    const page = await this.queries.execute(new List${many.pascal}({ ...request.range, filters }));
    const count = () => this.queries.execute(new Count${many.pascal}({ filters }));
    return request.connection(page, { toNode: to${one.pascal}Type, numberOf: ({ id }) => id, count });
  }
}

export function to${one.pascal}Type(from: ${one.pascal}): ${one.pascal}Type {
  return { ...from, id: from.id.toString()${lines(shown.filter(({ kind }) => kind.type === 'bigint').map((field) => `, ${field.name}: from.${field.name}${field.optional ? '?' : ''}.toString()`))} };
}
`;
  return withImports(
    [
      ['@nestjs/cqrs', 'QueryBus'],
      ['@nestjs/graphql', 'Args', 'ArgsType', 'Field', 'ID', 'ObjectType', 'Query', 'Resolver'],
      [
        '#libs/graphql',
        ...['ConnectionArguments', 'ConnectionRequest', 'connectionType', 'DateTimeScalar'],
        ...['enumType', 'filterType', 'readFilter', 'ReadsOnly'],
      ],
      ['#libs/http', 'readId'],
      [
        `../domain/${one.kebab}.js`,
        ...shown.flatMap(({ kind }) => (kind.list ? [kind.list, `type ${kind.type}`] : [])),
        `type ${one.pascal}`,
      ],
      [`../queries/${many.kebab}.query.js`, `Count${many.pascal}`, `Get${one.pascal}`, `List${many.pascal}`, `${one.camel}Filters`],
    ],
    text,
  );
}
