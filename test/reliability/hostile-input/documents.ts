import fc from 'fast-check';
import type { Answer } from '../../../libs/http/testing/raw-connection.js';
import type { GraphQLSchema } from 'graphql';
import { namesIn } from './described-fields.js';
import { authorized, JSON_TYPE, measureLength, type RequestParts } from './hostile-request.js';

const VALUES = fc.oneof(
  fc.constantFrom(
    '1',
    '0',
    '-1',
    '1e400',
    '"1"',
    '"\\u0000"',
    '9223372036854775808',
    'null',
    '[]',
    '{a: 1}',
    'SOLD',
    '$v',
    '"""block"""',
    '"\\ud800"',
    '1'.repeat(500),
    '"2026-01-01T00:00:00Z"',
    '"x"',
  ),
  fc.string({ maxLength: 8 }).map((text) => JSON.stringify(text)),
);

/** Selections of any form, mostly of fields of the schema, seldom where they belong. */
function selections(schema: GraphQLSchema): fc.Arbitrary<string> {
  const { fields, arguments: argumentsOf } = namesIn(schema);
  const names = fc.constantFrom(...fields, '__typename', '__schema', '__proto__', 'constructor', 'x');
  const argument = fc.tuple(fc.constantFrom(...argumentsOf, 'x'), VALUES);
  return fc.letrec<{ selection: string; field: string }>((tie) => ({
    field: fc
      .tuple(
        fc.option(fc.constantFrom('a', 'b', '__proto__', 'toString'), { nil: undefined }),
        names,
        fc.array(argument, { maxLength: 2 }),
        fc.constantFrom('', '', '', ' @skip(if: true)', ' @include(if: $v)', ' @x'.repeat(50), ' @deprecated'),
        fc.option(tie('selection'), { nil: '', depthSize: 'small' }),
      )
      .map(([alias, name, given, directive, below]) => {
        const values = given.map(([argumentName, value]) => `${argumentName}: ${value}`).join(', ');
        return `${alias === undefined ? '' : `${alias}: `}${name}${values && `(${values})`}${directive} ${below}`;
      }),
    selection: fc
      .array(
        fc.oneof(
          { weight: 6, arbitrary: tie('field') },
          { weight: 1, arbitrary: fc.constantFrom('...F', '... on Pet { id }', '... { id }') },
        ),
        { minLength: 1, maxLength: 4 },
      )
      .map((items) => `{ ${items.join(' ')} }`),
  })).selection;
}

const documents = (schema: GraphQLSchema) =>
  fc.oneof(
    {
      weight: 2,
      arbitrary: fc.constantFrom(
        '{ petCounts { status count } }',
        '{ pets(first: 3) { nodes { id name history { type } } pageInfo { hasNextPage } } }',
        'query Q($v: ID = 1) { pet(id: $v) { name } }',
        '{ __typename apiKeys(first: 2) { nodes { name } } }',
      ),
    },
    {
      weight: 6,
      arbitrary: fc
        .tuple(
          fc.constantFrom('', 'query ', 'query($v: Int) ', 'query Q($v: Boolean!) ', 'mutation ', 'subscription ', 'fragment F on Pet '),
          selections(schema),
        )
        .map((parts) => parts.join('')),
    },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 60 }) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        '',
        '{',
        '}',
        '{}',
        '#'.repeat(5_000),
        '{ a '.repeat(5_000),
        '['.repeat(10_000),
        `{ ${'petCounts { count } '.repeat(2_000)} }`,
        `query(${'$a: Int '.repeat(400)}) { petCounts { count } }`,
        `{ pet(id: ${'['.repeat(900)}1${']'.repeat(900)}) { id } }`,
        'query($v: [[[[[[[[[[[[[[[Int]]]]]]]]]]]]]]]) { petCounts { count } }',
        '{ ...F } fragment F on Query { ...G } fragment G on Query { ...F }',
        'query A { petCounts { count } } query A { petCounts { count } }',
        '"description" { pets { nodes { id } } }',
        'type X { a: Int }',
        '\ufeff{ petCounts { count } }',
      ),
    },
  );
const json = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('null', '{"v":1}', '{"v":true}', '{}') },
  { weight: 1, arbitrary: fc.json({ maxDepth: 3 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('{"v":1e400}', '{"__proto__":{"v":1}}', '{"v":-0}', '[]', '"x"', '7', '{"v":9223372036854775808}'),
  },
);

/** Documents, variables and envelopes for the query schema. */
export function documentRequests(key: string, schema: GraphQLSchema): fc.Arbitrary<RequestParts> {
  const queries = documents(schema);
  const accepts = fc.constantFrom('application/json', 'application/graphql-response+json', '*/*', 'text/html');
  const names = fc.constantFrom('null', 'null', 'null', '"Q"', '"A"', '""', '7', '"__proto__"', '{}');
  return fc.oneof(
    fc.tuple(queries, json, names, accepts).map(([query, variables, operationName, accept]) => {
      const body = `{"query":${JSON.stringify(query)},"variables":${variables},"operationName":${operationName}}`;
      return {
        kind: 'document by POST',
        method: 'POST',
        target: '/graphql',
        headers: [...authorized(key), JSON_TYPE, measureLength(body), `Accept: ${accept}`],
        body,
        judge: judgeDocument,
      };
    }),
    fc.tuple(queries, json, accepts).map(([query, variables, accept]) => ({
      kind: 'document by GET',
      target: `/graphql?query=${encodeURIComponent(query)}&variables=${encodeURIComponent(variables)}`.slice(0, 8_000).replace(/%.?$/, ''),
      headers: [...authorized(key), `Accept: ${accept}`],
      judge: judgeDocument,
    })),
    fc
      .tuple(
        fc.oneof(
          json,
          fc.constantFrom(
            '[{"query":"{ petCounts { count } }"}]',
            '{"query":null}',
            '{"query":["{}"]}',
            '{"query":"{}","query":"{}"}',
            '{"extensions":{"persistedQuery":{"version":1,"sha256Hash":"x"}}}',
          ),
        ),
        fc.constantFrom(JSON_TYPE, 'Content-Type: application/graphql', 'Content-Type: text/plain'),
      )
      .map(([body, type]) => ({
        kind: 'GraphQL envelope',
        method: 'POST',
        target: '/graphql',
        headers: [...authorized(key), type, measureLength(body)],
        body,
        judge: judgeDocument,
      })),
  );
}

function judgeDocument({ status, body }: Answer): void {
  expect([200, 400, 405, 406, 415]).toContain(status);
  expect(body).not.toContain('internal_error');
}
