import { withArticle } from './domain.mjs';
import { lines, withImports } from './imports.mjs';

/** The name of the class of a command, such as `BookAppointment`. */
export const commandClass = ({ one }, { verb }) => `${verb.pascal}${one.pascal}`;

/** The path of a command's file below the module, without its ending. */
export const commandPath = ({ one }, { verb }) => `commands/${verb.kebab}-${one.kebab}.command`;

export const commandFiles = (model) => [
  [`${commandPath(model, model.add)}.ts`, addCommand(model)],
  ...model.others.map((other) => [`${commandPath(model, other)}.ts`, changeCommand(model, other)]),
];

const catalogOf = ({ one, fields }) => [
  ['@nestjs/cqrs', 'CommandHandler', 'type ICommandHandler'],
  ['class-validator', 'IsBoolean', 'IsIn'],
  ['#libs/event-sourcing', 'EventStore', 'executeDecider', 'foldNewStream'],
  ['#libs/http', 'ApiDescription', 'assertValid', 'IfGiven', 'InputCommand', 'IsInt64', 'IsText', 'IsTime'],
  [`../domain/${one.kebab}.decider.js`, `${one.camel}Decider`, `to${one.pascal}`],
  [
    `../domain/${one.kebab}.js`,
    `${one.screaming}_CATEGORY`,
    ...fields.flatMap(({ kind }) => (kind.list ? [kind.list, `type ${kind.type}`] : [])),
    `${one.camel}Stream`,
    `type Changed${one.pascal}`,
    `type New${one.pascal}`,
    `type ${one.pascal}`,
  ],
];

function properties(fields) {
  return fields
    .map(({ name, what, kind, optional }) =>
      lines([
        kind.rule,
        optional && '@IfGiven()',
        `@ApiDescription('${kind.description(what)}')`,
        `readonly ${name}${optional ? '?' : '!'}: ${kind.type};`,
        '',
      ]),
    )
    .join('\n\n');
}

function addCommand(model) {
  const { one, fields, add } = model;
  const name = commandClass(model, add);
  const result = `${add.past.pascal}${one.pascal}`;
  return withImports(
    catalogOf(model),
    `
export interface ${result} {
  readonly ${one.camel}: ${one.pascal};
  /** True if an earlier request with the idempotency key did it and nothing was done now. */
  readonly replayed: boolean;
}

/** ${thirdPerson(add.verb.prose)} ${withArticle(one.prose)}. */
export class ${name} extends InputCommand<New${one.pascal}, ${result}> {
  ${properties(fields)}
}

@CommandHandler(${name})
export class ${name}Handler implements ICommandHandler<${name}> {
  constructor(private readonly eventStore: EventStore) {}

  async execute(command: ${name}): Promise<${result}> {
    assertValid(command);
    const { events, replayed } = await this.eventStore.execute(() => {
      const decided = ${one.camel}Decider.decide({ kind: '${add.verb.kebab}', ${one.camel}: command }, ${one.camel}Decider.initialState);
      return [{ stream: { newIn: ${one.screaming}_CATEGORY }, events: decided }];
    }, command.appendOptions);
    const { id, state } = foldNewStream(${one.camel}Decider, events);
    return { ${one.camel}: to${one.pascal}(id, state), replayed };
  }
}
`,
  );
}

function changeCommand(model, other) {
  const { one } = model;
  const name = commandClass(model, other);
  const { verb, fields = [] } = other;
  const picked = fields.map((field) => `'${field.name}'`).join(' | ');
  const values = `{ readonly id: bigint }${picked && ` & Pick<New${one.pascal}, ${picked}>`}`;
  return withImports(
    catalogOf(model),
    `
/** ${thirdPerson(verb.prose)} ${withArticle(one.prose)}.${fields.some(({ optional }) => optional) ? ' Removes an optional member that is omitted.' : ''} */
export class ${name} extends InputCommand<${values}, Changed${one.pascal}> {
  @IsInt64()
  readonly id!: bigint;

  ${properties(fields)}
}

@CommandHandler(${name})
export class ${name}Handler implements ICommandHandler<${name}> {
  constructor(private readonly eventStore: EventStore) {}

  /** @throws NotFoundError if there is none with this id */
  async execute(command: ${name}): Promise<Changed${one.pascal}> {
    assertValid(command);
    const { id, metadata } = command;
    const { state, events } = await executeDecider(this.eventStore, {
      decider: ${one.camel}Decider,
      stream: ${one.camel}Stream(id),
      command: { kind: '${verb.kebab}', ${['id', ...fields.map((field) => `${field.name}: command.${field.name}`)].join(', ')} },
      metadata,
    });
    return { ${one.camel}: to${one.pascal}(id, state), changed: events.length > 0 };
  }
}
`,
  );
}

/** `Books` for `book`, `Checks in` for `check in`. */
function thirdPerson(prose) {
  const [verb, ...rest] = prose.split(' ');
  const ended = /(?:s|x|z|ch|sh|o)$/.test(verb) ? `${verb}es` : verb.replace(/([^aeiou])y$/, '$1ie') + 's';
  return [ended[0].toUpperCase() + ended.slice(1), ...rest].join(' ');
}
