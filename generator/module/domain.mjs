import { lines, withImports } from './imports.mjs';

/** A member of a type for each field. */
export const members = (fields) =>
  lines(fields.map(({ name, kind, optional }) => `readonly ${name}${optional ? '?' : ''}: ${kind.type}${optional ? ' | undefined' : ''};`));

/** An object's members for the fields of an expression, each converted as its kind is. */
export function converted(fields, from, convert) {
  return fields
    .map(({ name, kind, optional }) => {
      const value = `${from}.${name}`;
      const text = convert(kind)(value);
      if (!optional || text === value) return `${name}: ${text}`;
      return text.startsWith(`${value}.`)
        ? `${name}: ${value}?${text.slice(value.length)}`
        : `${name}: ${value} === undefined ? undefined : ${text}`;
    })
    .join(', ');
}

export const domainFiles = (model) => [
  [`domain/${model.one.kebab}.ts`, values(model)],
  [`domain/${model.one.kebab}.events.ts`, events(model)],
  [`domain/${model.one.kebab}.decider.ts`, decider(model)],
];

function values({ one, add, fields, shown, status, others }) {
  const lists = shown
    .filter(({ kind }) => kind.words)
    .map(
      ({ kind }) => `export const ${kind.list} = [${kind.words.map((word) => `'${word}'`).join(', ')}] as const;
export type ${kind.type} = (typeof ${kind.list})[number];
`,
    );
  return `
${lists.join('\n')}
/** What has to be said to ${add.verb.prose} one. */
export interface New${one.pascal} {
  ${members(fields)}
}

/** What clients see of one. */
export interface ${one.pascal} extends New${one.pascal} {
  /** Assigned by the service; never used again. */
  readonly id: bigint;
  ${status ? members([status]) : ''}
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
export type ${one.pascal}${add.past.pascal} = EventsOf<typeof ${one.camel}Events, '${one.kebab}-${add.past.kebab}'>;
`,
  );
}

function decider(model) {
  const { one, many, fields, shown, add, changes, moves } = model;
  const [state, command, event, added] = [
    `${one.pascal}State`,
    `${one.pascal}Command`,
    `${one.pascal}Event`,
    `${one.pascal}${add.past.pascal}`,
  ];
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

function toData(${one.camel}: New${one.pascal}): ${added}['data'] {
  return { ${converted(fields, one.camel, ({ toEvent }) => toEvent)} };
}

/** Returns what clients see. @throws NotFoundError for a stream without events */
export function to${one.pascal}(id: bigint, state: ${state}): ${one.pascal} {
  if (state.kind === 'none') throw new NotFoundError('${one.prose}', id);
  return { id, ${converted(shown, 'state', () => (value) => value)} };
}
`;
  return withImports(
    [
      ['#libs/event-sourcing', 'type Decider'],
      ['#libs/observability', 'NotFoundError'],
      [`./${one.kebab}.events.js`, `type ${added}`, `type ${event}`],
      [`./${one.kebab}.js`, `type New${one.pascal}`, `type ${one.pascal}`],
    ],
    text,
  );
}

function decideFunction({ one, add, others }) {
  const [command, state, event] = [`${one.pascal}Command`, `${one.pascal}State`, `${one.pascal}Event`];
  const addition = `return [{ type: '${one.kebab}-${add.past.kebab}', data: toData(command.${one.camel}) }];`;
  if (others.length === 0) return `function decide(command: ${command}): ${event}[] { ${addition} }`;
  const results = others.map(({ past, fields }) => {
    const condition = fields ? unchanged(fields) : `state.status === '${past.kebab}'`;
    const data = fields ? converted(fields, 'command', ({ toEvent }) => toEvent) : '';
    return `return ${condition} ? [] : [{ type: '${one.kebab}-${past.kebab}', data: { ${data} } }];`;
  });
  const cases = others.map(({ verb }, index) => `case '${verb.kebab}':\n${results[index]}`);
  return `function decide(command: ${command}, state: ${state}): ${event}[] {
  if (command.kind === '${add.verb.kebab}') ${addition}
  if (state.kind === 'none') throw new NotFoundError('${one.prose}', command.id);
  ${cases.length === 1 ? results[0] : `switch (command.kind) {\n${lines(cases)}\n}`}
}`;
}

function evolveFunction({ one, fields, add, others, status }) {
  const [state, event] = [`${one.pascal}State`, `${one.pascal}Event`];
  const from = (given) => converted(given, 'event.data', ({ fromEvent }) => fromEvent);
  const begun = `return { kind: 'present', ${from(fields)}${status ? `, status: '${add.past.kebab}'` : ''} };`;
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
      `case '${one.kebab}-${past.kebab}':\nreturn state.kind === 'none' ? state : { ...state, ${given ? from(given) : `status: '${past.kebab}'`} };`,
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
