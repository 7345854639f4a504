import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Refusal } from '../refusal.mjs';
import { withArticle } from './domain.mjs';
import { commandClass } from './commands.mjs';
import { lines, withImports } from './imports.mjs';

const CLIENT = 'packages/client/src';
/** The lines of the client behind which those of another module stand. */
const PLACES = [
  [/^import \{ (?!create)\w+ \} from '\.\/\w+\.js';$/, ({ many }) => `import { ${many.pascal} } from './${many.kebab}.js';`],
  [/^ {2}readonly \w+: \w+<Id>;$/, ({ many }) => `  readonly ${many.camel}: ${many.pascal}<Id>;`],
  [/^ {4}\w+: new \w+\(requests\),$/, ({ many }) => `    ${many.camel}: new ${many.pascal}(requests),`],
];

/**
 * What the client package gets for a module: a file, and its lines in the files that name all of them.
 * @throws Refusal where the client has no place for it
 */
export function clientChanges(root, model) {
  const { one, many } = model;
  const client = readFileSync(join(root, CLIENT, 'client.ts'), 'utf8');
  const index = readFileSync(join(root, CLIENT, 'index.ts'), 'utf8');
  return [
    { path: `${CLIENT}/${many.kebab}.ts`, text: operations(model) },
    {
      path: `${CLIENT}/client.ts`,
      before: client,
      text: PLACES.reduce((text, [place, line]) => withLine(text, place, line(model)), client),
    },
    {
      path: `${CLIENT}/index.ts`,
      before: index,
      text: withLine(
        index,
        /^export type \{.* from '\.\/\w+\.js';$/,
        `export type { ${one.pascal}Filters, ${one.pascal}ListOptions, ${many.pascal} } from './${many.kebab}.js';`,
      ),
    },
  ];
}

function withLine(text, place, line) {
  const all = text.split('\n');
  const last = all.findLastIndex((each) => place.test(each));
  if (last === -1) throw new Refusal(`The client has no place for the module: it needs a line such as ${line.trim()}`);
  return all.toSpliced(last + 1, 0, line).join('\n');
}

function operations(model) {
  const { one, many, add, others, fields, filters } = model;
  const path = many.screaming;
  const [given, result] = [typeOf(`New${one.pascal}`, fields), `${one.pascal}<Id>`];
  const text = `
const ${path} = '/v1/${many.kebab}';

export interface ${one.pascal}Filters<Id> {
  ${lines(filters.map(({ parameter, clientType }) => `readonly ${parameter}?: ${clientType} | undefined;`))}
}

export interface ${one.pascal}ListOptions<Id> extends ${one.pascal}Filters<Id>, ListOptions {}

/** The ${many.prose}. */
export class ${many.pascal}<Id> {
  readonly #requests: Requests<Id>;

  constructor(requests: Requests<Id>) {
    this.#requests = requests;
  }

  /** All ${many.prose} that match, ascending by id unless \`order\` says otherwise. Each iteration begins again at the first page. */
  list({ order, limit, signal, ...filters }: ${one.pascal}ListOptions<Id> = {}): Pages<${result}> {
    return this.#requests.pages({ path: ${path}, query: { ...queryOf(filters), order, limit }, signal });
  }

  /** Counts the ${many.prose} that match. */
  async count({ signal, ...filters }: ${one.pascal}Filters<Id> & CallOptions = {}): Promise<number> {
    return this.#requests.count({ path: ${path}, query: queryOf(filters), signal });
  }

  /** The request to ${add.verb.prose} one is done once, however often it has to be sent. */
  ${add.verb.camel}(${one.camel}: ${given}, options?: CallOptions): Promise<${result}>;
  ${add.verb.camel}(${one.camel}: ${given}, options: AddOptions): Promise<${result}>;
  ${add.verb.camel}(${one.camel}: ${given}, options?: CallOptions): Promise<${result}> {
    return this.#requests.add(${path}, ${one.camel}, options);
  }

  /** @throws AdoptionError \`not_found\` if there is none */
  get(id: Id, options: NoneMatchOptions): Promise<Tagged<${result}> | undefined>;
  get(id: Id, options?: CallOptions): Promise<Tagged<${result}>>;
  get(id: Id, options: MatchOptions): Promise<Tagged<${result}>>;
  async get(id: Id, options?: CallOptions): Promise<Tagged<${result}> | undefined> {
    return this.#requests.read({ path: buildPath(${path}, id), ...options });
  }
${others
  .map(
    (other) => `
  /** Gives ${withArticle(one.prose)} that is ${other.past.prose} already as it is. */
  async ${other.verb.camel}(id: Id, ${other.fields ? `body: ${typeOf(commandClass(model, other), other.fields)}, ` : ''}options?: CallOptions): Promise<${result}> {
    return this.#requests.read({ method: 'POST', path: \`\${buildPath(${path}, id)}/${other.verb.kebab}\`, ${other.fields ? 'body, ' : ''}...options });
  }
`,
  )
  .join('')}
}

function queryOf<Id>(filters: ${one.pascal}Filters<Id>): Query {
  return { ${filters.map(({ parameter, clientText }) => `${parameter}: ${clientText}(filters.${parameter})`).join(', ')} };
}
`;
  return withImports(
    [
      ['./conditions.js', 'type AddOptions', 'type CallOptions', 'type MatchOptions', 'type NoneMatchOptions', 'type Tagged'],
      [
        './document.js',
        `type New${one.pascal}`,
        ...others.filter((other) => other.fields).map((other) => `type ${commandClass(model, other)}`),
        `type ${one.pascal}`,
      ],
      ['./filters.js', 'int64Texts', 'joined', 'momentText', 'type Moment', 'type OneOrMore'],
      ['./integers.js', 'buildPath'],
      ['./pages.js', 'type Pages'],
      ['./requests.js', 'type ListOptions', 'type Query', 'type Requests'],
    ],
    text,
  );
}

/** The type of a body in the client, whose int64 are of the form that its user chose. */
function typeOf(name, fields) {
  return fields.some(({ kind }) => kind.type === 'bigint') ? `${name}<Id>` : name;
}
