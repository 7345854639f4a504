import { converted, withArticle } from './domain.mjs';
import { lines, withImports } from './imports.mjs';

export const graphqlFiles = (model) => [[`graphql/${model.many.kebab}.resolver.ts`, resolver(model)]];

function resolver({ one, many, add, shown, status }) {
  const described = (field) => (field === status ? 'Where it is.' : `${field.what}.`);
  const enums = shown
    .filter(({ kind }) => kind.words)
    .map(
      (field) => `
const ${field.kind.graphql} = enumType('${field.kind.type}', ${field.kind.list}, '${field === status ? `Where ${withArticle(one.prose)} is.` : `${field.what}.`}');
`,
    );
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

@ObjectType({ description: 'A page of ${many.prose}, ascending by id.' })
export class ${one.pascal}Connection extends connectionType(${one.pascal}Type, '${one.pascal}') {}

/** The ${many.prose} over GraphQL. */
@Resolver()
export class ${many.pascal}Resolver {
  constructor(private readonly queries: QueryBus) {}

  @ReadsOnly('${many.kebab}')
  @Query(() => ${one.pascal}Type, { nullable: true, description: '${withArticle(one.prose, true)}; null where there is none with this id.' })
  async ${one.camel}(@Args('id', { type: () => ID, description: 'The identifier.' }) id: string): Promise<${one.pascal}Type | null> {
    const found = await this.queries.execute(new Get${one.pascal}(readId('id', id)));
    return found ? to${one.pascal}Type(found) : null;
  }

  @ReadsOnly('${many.kebab}')
  @Query(() => ${one.pascal}Connection, { description: 'The ${many.prose}, ascending by id.' })
  async ${many.camel}(@Args() place: ConnectionArguments): Promise<${one.pascal}Connection> {
    const request = new ConnectionRequest('${many.camel}', place, {});
    const page = await this.queries.execute(new List${many.pascal}(request.range));
    return request.connection(page, to${one.pascal}Type, ({ id }) => id);
  }
}

export function to${one.pascal}Type(from: ${one.pascal}): ${one.pascal}Type {
  return { ...from, id: from.id.toString()${lines(shown.filter(({ kind }) => kind.type === 'bigint').map((field) => `, ${converted([field], 'from', ({ toGraphql }) => toGraphql)}`))} };
}
`;
  return withImports(
    [
      ['@nestjs/cqrs', 'QueryBus'],
      ['@nestjs/graphql', 'Args', 'Field', 'ID', 'ObjectType', 'Query', 'Resolver'],
      ['#libs/graphql', 'ConnectionArguments', 'ConnectionRequest', 'connectionType', 'DateTimeScalar', 'enumType', 'ReadsOnly'],
      ['#libs/http', 'readId'],
      [
        `../domain/${one.kebab}.js`,
        ...shown.flatMap(({ kind }) => (kind.list ? [kind.list, `type ${kind.type}`] : [])),
        `type ${one.pascal}`,
      ],
      [`../queries/${many.kebab}.query.js`, `Get${one.pascal}`, `List${many.pascal}`],
    ],
    text,
  );
}
