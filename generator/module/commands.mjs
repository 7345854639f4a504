import { withArticle } from './domain.mjs';
import { withImports } from './imports.mjs';

/** The name of the class of a command, such as `BookAppointment`. */
export const commandClass = ({ one }, { verb }) => `${verb.pascal}${one.pascal}`;

/** The path of a command's file below the module, without its ending. */
export const commandPath = ({ one }, { verb }) => `commands/${verb.kebab}-${one.kebab}.command`;

export const commandFiles = (model) => [
  [`${commandPath(model, model.add)}.ts`, addCommand(model)],
  ...model.others.map((other) => [`${commandPath(model, other)}.ts`, changeCommand(model, other)]),
];

const catalogOf = ({ one }) => [
  ['@nestjs/cqrs', 'CommandHandler', 'type ICommandHandler'],
  ['@nestjs/swagger', 'PickType'],
  ['#libs/event-sourcing', 'EventStore', 'executeDecider', 'foldNewStream'],
  ['#libs/http', 'assertValid', 'inputCommand', 'InputCommand', 'IsInt64'],
  [`../domain/${one.kebab}.decider.js`, `${one.camel}Decider`, `to${one.pascal}`],
  [`../domain/${one.kebab}.js`, `${one.screaming}_CATEGORY`, `${one.camel}Stream`, `type Changed${one.pascal}`, `type ${one.pascal}`],
  [`../domain/${one.kebab}-fields.js`, `${one.pascal}Fields`],
];

function addCommand(model) {
  const { one, add } = model;
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
export class ${name} extends inputCommand(${one.pascal}Fields)<${result}> {}

@CommandHandler(${name})
export class ${name}Handler implements ICommandHandler<${name}> {
  constructor(private readonly eventStore: EventStore) {}

  async execute(command: ${name}): Promise<${result}> {
    assertValid(command);
    const { events, replayed } = await this.eventStore.execute(() => {
      const decided = ${one.camel}Decider.decide({ kind: '${add.verb.kebab}', ${one.camel}: command.values }, ${one.camel}Decider.initialState);
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
  const inputs = fields.length > 0 ? `PickType(${one.pascal}Fields, [${fields.map((field) => `'${field.name}'`).join(', ')}])` : undefined;
  return withImports(
    catalogOf(model),
    `${
      inputs
        ? `class ${name}Inputs extends ${inputs} {
  @IsInt64()
  readonly id!: bigint;
}
`
        : ''
    }
/** ${thirdPerson(verb.prose)} ${withArticle(one.prose)}.${fields.some(({ optional }) => optional) ? ' Removes an optional member that is omitted.' : ''} */
export class ${name} extends ${
      inputs
        ? `inputCommand(${name}Inputs)<Changed${one.pascal}> {}`
        : `InputCommand<{ readonly id: bigint }, Changed${one.pascal}> {
  @IsInt64()
  readonly id!: bigint;
}`
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
      command: { kind: '${verb.kebab}', ...command.values },
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
