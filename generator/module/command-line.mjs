import { commandClass, commandPath } from './commands.mjs';
import { withArticle } from './domain.mjs';
import { lines, withImports } from './imports.mjs';

export const commandLineFiles = (model) => [[`cli/${model.many.kebab}.cli.ts`, commandLine(model)]];

// So many lines of commands are one function; more are one for each command.
const MOST_LINES = 40;

function commandLine(model) {
  const { one, many, add, others, fields } = model;
  const all = [add, ...others];
  const verbs = all.map(({ verb }) => verb.prose);
  const listed = [verbs.slice(0, -1).join(', '), verbs.at(-1)].filter(Boolean).join(' and ');
  const commands = [addCommand(model), ...others.map((other) => changeCommand(model, other))];
  const isLong = commands.join('\n').split('\n').length > MOST_LINES;
  const nameOf = ({ verb }) => `add${verb.pascal}Command`;
  const text = `
${others.length > 0 ? "const parseId = wholeNumber('ID must be a number in plain digits, such as 7', 1n);\n" : ''}
/** Adds ${all.map(({ verb }) => `\`${many.kebab} ${verb.kebab}\``).join(', ')}. Each prints what it worked on. */
export const register${many.pascal}Commands: CommandRegistration = (program, context) => {
  const group = program.command('${many.kebab}').description('${listed} ${many.prose}');
  ${isLong ? lines(all.map((each) => `${nameOf(each)}(group, context);`)) : lines(commands)}
};
${isLong ? all.map((each, index) => `\nfunction ${nameOf(each)}(group: Command, context: CliContext): void {\n${commands[index]}\n}\n`).join('') : ''}
`;
  return withImports(
    [
      ['commander', 'type Command', 'Option'],
      ['#libs/cli', 'type CliContext', 'type CommandRegistration', 'int64', 'time', 'trueOrFalse', 'wholeNumber'],
      ['#libs/http', 'type Unchecked'],
      [`../domain/${one.kebab}.js`, ...fields.flatMap(({ kind }) => kind.list ?? []), `type New${one.pascal}`],
    ],
    text,
  );
}

function options(fields) {
  return lines(
    fields.map(({ option, placeholder, what, kind, optional }) => {
      const named = `'${option} <${placeholder}>', '${what[0].toLowerCase()}${what.slice(1)}'`;
      if (kind.words) return `.addOption(new Option(${named}).choices(${kind.list})${optional ? '' : '.makeOptionMandatory()'})`;
      const parse = kind.option(option);
      return `.${optional ? 'option' : 'requiredOption'}(${named}${parse ? `, ${parse}` : ''})`;
    }),
  );
}

function addCommand(model) {
  const { one, add, fields } = model;
  return `group
    .command('${add.verb.kebab}')
    .description('${add.verb.prose} ${withArticle(one.prose)}')
    ${options(fields)}
    .action(async (values: Unchecked<New${one.pascal}>) => {
      const { ${commandClass(model, add)} } = await import('../${commandPath(model, add)}.js');
      const { ${one.camel} } = await context.execute(new ${commandClass(model, add)}(values, context.metadata));
      context.print(${one.camel});
    });`;
}

function changeCommand(model, other) {
  const { one } = model;
  const { verb, fields } = other;
  const values = fields ? `, values: Unchecked<Pick<New${one.pascal}, ${fields.map(({ name }) => `'${name}'`).join(' | ')}>>` : '';
  return `group
    .command('${verb.kebab}')
    .description('${verb.prose} ${withArticle(one.prose)}')
    .argument('<id>', 'its number', parseId)
    ${[options(fields ?? []), '.action'].filter(Boolean).join('\n')}(async (id: bigint${values}) => {
      const { ${commandClass(model, other)} } = await import('../${commandPath(model, other)}.js');
      const { ${one.camel}, changed } = await context.execute(new ${commandClass(model, other)}({ ${fields ? '...values, ' : ''}id }, context.metadata));
      context.print({ ...${one.camel}, changed });
      if (!changed) context.note('Nothing was changed: it is so already.');
    });`;
}
