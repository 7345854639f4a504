import { lines, withImports } from './imports.mjs';

export const domainFiles = (model) => [
  [`domain/${model.one.kebab}.ts`, values(model)],
  [`domain/${model.one.kebab}-fields.ts`, fieldsClass(model)],
  [`domain/${model.one.kebab}.events.ts`, events(model)],
  [`domain/${model.one.kebab}.decider.ts`, decider(model)],
];

function values({ one, add, shown, status, others }) {
  const lists = shown
    .filter(({ kind }) => kind.words)
    .map(
      ({ kind }) => `export const ${kind.list} = [${kind.words.map((word) => `'${word}'`).join(', ')}] as const;
export type ${kind.type} = (typeof ${kind.list})[number];
`,
    );
  return `
import type { ${one.pascal}Fields } from './${one.kebab}-fields.js';

${lists.join('\n')}
/** What has to be said to ${add.verb.prose} one. */
export type New${one.pascal} = Readonly<${one.pascal}Fields>;

/** What clients see of one. */
export interface ${one.pascal} extends New${one.pascal} {
  /** Assigned by the service; never used again. */
  readonly id: bigint;
  ${status ? `readonly status: ${status.kind.type};` : ''}
}
${
  others.length > 0
    ? `
/** What a command leaves. */
export interface Changed${one.pascal} {
  readonly ${one.camel}: ${one.pascal};
  /** False if it was so before and no event was written. */
  readonly changed: boolean;
}
`
    : ''
}
/** The category of the streams, one for each. */
export const ${one.screaming}_CATEGORY = '${one.kebab}';
${
  others.length > 0
    ? `
/** Returns the stream of the one with this id, such as \`${one.kebab}-17\`. */
export function ${one.camel}Stream(id: bigint): string {
  return \`\${${one.screaming}_CATEGORY}-\${id}\`;
}
`
    : ''
}`.trimStart();
}

/** The declaration of a field, as a member of the class of the fields. */
export function fieldMember({ name, what, kind, optional }) {
  return lines([
    kind.rule,
    optional && '@IfGiven()',
    `@Column(${optional ? `optional(${kind.column})` : kind.column})`,
    `@ApiDescription('${kind.description(what)}')`,
    optional ? `readonly ${name}?: ${kind.type} | undefined;` : `readonly ${name}!: ${kind.type};`,
  ]);
}

function fieldsClass({ one, many, fields, status }) {
  const shown = [`'id'`, `...inputNames(${one.pascal}Fields)`, ...(status ? [`'status'`] : [])];
  return withImports(
    [
      ['class-validator', 'IsBoolean', 'IsIn'],
      ['typeorm', 'Column'],
      ['#libs/database', 'columnTypes', 'optional'],
      ['#libs/http', 'ApiDescription', 'IfGiven', 'inputNames', 'IsInt64', 'IsText', 'IsTime', 'pick'],
      [`./${one.kebab}.js`, ...fields.flatMap(({ kind }) => (kind.list ? [kind.list, `type ${kind.type}`] : [])), `type ${one.pascal}`],
    ],
    `
/** The fields of one of the ${many.prose}. Its commands, its row and what REST shows take them from here. \`npm run generate -- field\` adds one. */
export class ${one.pascal}Fields {
  ${fields.map(fieldMember).join('\n\n  ')}
}

const SHOWN = [${shown.join(', ')}] as const;

/** Returns what clients see, in the order of the declaration. */
export function show${one.pascal}(${one.camel}: ${one.pascal}): ${one.pascal} {
  return pick(${one.camel}, SHOWN);
}
`,
  );
}

function events({ one, fields, add, changes, moves }) {
  const defined = [{ past: add.past, fields }, ...changes, ...moves.map(({ past }) => ({ past, fields: [] }))].map(
    ({ past, fields: given }) => `'${one.kebab}-${past.kebab}': {
    schemaVersion: 1,
    data: { ${given.map(({ name, kind, optional }) => `${optional ? `'${name}?'` : name}: ${kind.event}`).join(', ')} },
    published: { as: '${one.kebab}.${past.snake}', version: 1, description: '${withArticle(one.prose, true)} was ${past.prose}.' },
  },`,
  );
  return withImports(
    [
      ['#libs/event-sourcing', 'type EventDefinitions', 'type EventsOf'],
      [`./${one.kebab}.js`, ...fields.flatMap(({ kind }) => kind.list ?? [])],
    ],
    `/** Stored for ever: never rename a type; give changed \`data\` a new schema version and an upcaster. */
export const ${one.camel}Events = {
  ${lines(defined)}
} as const satisfies EventDefinitions;

export type ${one.pascal}Event = EventsOf<typeof ${one.camel}Events>;
`,
  );
}

function decider(model) {
  const { one, many, add, changes, moves } = model;
  const [state, command, event] = [`${one.pascal}State`, `${one.pascal}Command`, `${one.pascal}Event`];
  const commands = [
    `{ readonly kind: '${add.verb.kebab}'; readonly ${one.camel}: New${one.pascal} }`,
    ...moves.map(({ verb }) => `{ readonly kind: '${verb.kebab}'; readonly id: bigint }`),
    ...changes.map(
      ({ verb, fields: given }) =>
        `({ readonly kind: '${verb.kebab}'; readonly id: bigint } & Pick<New${one.pascal}, ${given.map(({ name }) => `'${name}'`).join(' | ')}>)`,
    ),
  ];
  const text = `
export type ${state} = { readonly kind: 'none' } | ({ readonly kind: 'present' } & Omit<${one.pascal}, 'id'>);

export type ${command} = ${commands.join(' | ')};

/** The rules of the ${many.prose}. What would change nothing gives no event. */
export const ${one.camel}Decider: Decider<${state}, ${command}, ${event}> = {
  initialState: { kind: 'none' },
  decide,
  evolve,
};

${decideFunction(model)}

${evolveFunction(model)}

/** Returns what clients see. @throws NotFoundError for a stream without events */
export function to${one.pascal}(id: bigint, state: ${state}): ${one.pascal} {
  if (state.kind === 'none') throw new NotFoundError('${one.prose}', id);
  return show${one.pascal}({ id, ...state });
}
`;
  return withImports(
    [
      ['#libs/event-sourcing', 'type Decider', 'readEventData', 'writeEventData'],
      ['#libs/observability', 'NotFoundError'],
      [`./${one.kebab}.events.js`, `${one.camel}Events`, `type ${event}`],
      [`./${one.kebab}-fields.js`, `show${one.pascal}`],
      [`./${one.kebab}.js`, `type New${one.pascal}`, `type ${one.pascal}`],
    ],
    text,
  );
}

function decideFunction({ one, add, others }) {
  const [command, state, event] = [`${one.pascal}Command`, `${one.pascal}State`, `${one.pascal}Event`];
  const addition = `return [{ type: '${one.kebab}-${add.past.kebab}', data: writeEventData(command.${one.camel}) }];`;
  if (others.length === 0) return `function decide(command: ${command}): ${event}[] { ${addition} }`;
  const results = others.map(({ past, fields }) => {
    const condition = fields ? unchanged(fields) : `state.status === '${past.kebab}'`;
    const data = fields ? `writeEventData({ ${fields.map(({ name }) => `${name}: command.${name}`).join(', ')} })` : '{}';
    return `return ${condition} ? [] : [{ type: '${one.kebab}-${past.kebab}', data: ${data} }];`;
  });
  const cases = others.map(({ verb }, index) => `case '${verb.kebab}':\n${results[index]}`);
  return `function decide(command: ${command}, state: ${state}): ${event}[] {
  if (command.kind === '${add.verb.kebab}') ${addition}
  if (state.kind === 'none') throw new NotFoundError('${one.prose}', command.id);
  ${cases.length === 1 ? results[0] : `switch (command.kind) {\n${lines(cases)}\n}`}
}`;
}

function evolveFunction({ one, add, others, status }) {
  const [state, event] = [`${one.pascal}State`, `${one.pascal}Event`];
  const read = (past) => `...readEventData(${one.camel}Events['${one.kebab}-${past.kebab}'].data, event.data)`;
  // An optional member that an event leaves out is removed.
  const from = (past, given) =>
    [...given.filter(({ optional }) => optional).map(({ name }) => `${name}: undefined`), read(past)].join(', ');
  const begun = `return { kind: 'present', ${read(add.past)}${status ? `, status: '${add.past.kebab}'` : ''} };`;
  const type = `${one.kebab}-${add.past.kebab}`;
  if (others.length === 0) {
    return `function evolve(state: ${state}, event: ${event}): ${state} {
  // A newer build may have written others.
  if ((event.type as string) !== '${type}') return state;
  ${begun}
}`;
  }
  const cases = others.map(
    ({ past, fields: given }) =>
      `case '${one.kebab}-${past.kebab}':\nreturn state.kind === 'none' ? state : { ...state, ${given ? from(past, given) : `status: '${past.kebab}'`} };`,
  );
  return `function evolve(state: ${state}, event: ${event}): ${state} {
  switch (event.type) {
    case '${type}':
      ${begun}
    ${lines(cases)}
    default:
      // An event of a newer build.
      return state;
  }
}`;
}

/** A condition for fields that a command would leave as they are. */
function unchanged(fields) {
  return fields
    .map(({ name, kind, optional }) => {
      const time = kind.type === 'Date' ? `${optional ? '?' : ''}.getTime()` : '';
      return `command.${name}${time} === state.${name}${time}`;
    })
    .join(' && ');
}

/** `An appointment`, `a shelter`; by how most such words sound. */
export function withArticle(prose, capital = false) {
  const article = /^(?:[aeio]|u(?!ni|se|ti|su)|hour|hono)/.test(prose) && !/^(?:one|eu)/.test(prose) ? 'an' : 'a';
  return `${capital ? `A${article.slice(1)}` : article} ${prose}`;
}
