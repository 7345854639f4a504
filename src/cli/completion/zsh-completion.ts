import { allCommands, type CompletedCommand, type CompletedOption, type CompletedValue } from './completed-command.js';

/** A script that completes the program's lines in zsh, as a file of `$fpath` named `_adoption` or read by the shell. */
export function zshCompletion(program: CompletedCommand): string {
  return `#compdef adoption
# Completes adoption in zsh, behind compinit: source <(adoption completion zsh)
${allCommands(program).map(functionOf).join('\n')}
if [[ \${zsh_eval_context[-1]} == loadautofunc ]]; then
  _adoption "$@"
else
  compdef _adoption adoption
fi
`;
}

function nameOf(path: readonly string[]): string {
  return ['_adoption', ...path].join('_');
}

function functionOf(command: CompletedCommand): string {
  return command.commands.length > 0 ? groupFunction(command) : leafFunction(command);
}

function groupFunction({ path, commands, options }: CompletedCommand): string {
  const names = commands.map(({ path: inner, description }) =>
    quoted(`${inner.at(-1) ?? ''}:${description.replaceAll(':', String.raw`\:`)}`),
  );
  const branches = commands.map(({ path: inner }) => `    ${inner.at(-1) ?? ''}) ${nameOf(inner)} ;;`);
  return `${nameOf(path)}() {
  local state line curcontext=$curcontext
  local -a commands=(
    ${names.join('\n    ')}
  )
  _arguments -C ${[...options.map(optionWord), "'1: :->command'", "'*:: :->rest'"].join(' \\\n    ')}
  [[ $state == command ]] && _describe command commands
  [[ $state == rest ]] && case $line[1] in
${branches.join('\n')}
  esac
}`;
}

function leafFunction({ path, options, values }: CompletedCommand): string {
  const places = values.map((value, index) => quoted(`${index + 1}:${actionOf(value)}`));
  return `${nameOf(path)}() {
  _arguments ${[...options.map(optionWord), ...places].join(' \\\n    ')}
}`;
}

/** Both flags of an option in one: where one was given, neither is offered again. */
function optionWord({ flags, description, value }: CompletedOption): string {
  const meaning = `[${escaped(description)}]${value ? `:${actionOf(value)}` : ''}`;
  const [first = '', ...others] = flags.map((flag) => (value && flag.startsWith('--') ? `${flag}=` : flag));
  if (others.length === 0) return quoted(`${first}${meaning}`);
  return `${quoted(`(${flags.join(' ')})`)}{${[first, ...others].join(',')}}${quoted(meaning)}`;
}

function actionOf({ name, choices, isFile }: CompletedValue): string {
  if (isFile) return `${name}:_files`;
  return choices ? `${name}:(${choices.map(escaped).join(' ')})` : `${name}: `;
}

function escaped(text: string): string {
  return text.replaceAll(/[\\[\]:]/g, String.raw`\$&`);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
