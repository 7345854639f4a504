import { allCommands, keyOf, valueOptionKeys, type CompletedCommand, type CompletedValue } from './completed-command.js';

/** A script that completes the program's lines in bash, from version 3.2. */
export function bashCompletion(program: CompletedCommand): string {
  const commands = allCommands(program);
  const paths = commands.filter(({ path }) => path.length > 0).map(keyOf);
  return `# Completes adoption in bash: source <(adoption completion bash)
_adoption() {
  local current=\${COMP_WORDS[COMP_CWORD]} command='' option='' place=0 word index
  for ((index = 1; index < COMP_CWORD; index++)); do
    word=\${COMP_WORDS[index]}
    # Bash takes --option=value for three words.
    if [[ $word == '=' ]]; then
      continue
    elif [[ -n $option ]]; then
      option=''
      continue
    fi
    case "$command $word" in
      ${patterns(paths)}) command+=" $word" ;;
      ${patterns(commands.flatMap(valueOptionKeys))}) option=$word ;;
      *' '-*) ;;
      *) place=$((place + 1)) ;;
    esac
  done
  [[ $current == '=' ]] && current=''
  local key="$command \${option:-$place}" words='' IFS=$' \\t\\n'
  [[ -z $option && $current == -* ]] && key="$command -"
  case $key in
${commands.flatMap(casesOf).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -F _adoption adoption
`;
}

/** What fits behind the command: options for a word that begins with a hyphen and where nothing else fits, and values at their places. */
function casesOf(command: CompletedCommand): string[] {
  const key = keyOf(command);
  const behindOptions = command.options.flatMap(({ flags, value }) => {
    const keys = flags.map((flag) => `${key} ${flag}`);
    return value && (value.isFile || value.choices) ? [branch(keys, value)] : [];
  });
  const places = command.values.map((value, index) => branch([`${key} ${index}`], value));
  const names = command.commands.map(({ path }) => path.at(-1) ?? '');
  const first = names.length > 0 ? [words(`'${key} 0'`, names)] : places;
  const flags = command.options.flatMap((option) => option.flags);
  return [...behindOptions, ...first, words(`'${key} -' | '${key} '[0-9]*`, flags)];
}

function branch(keys: readonly string[], { choices, isFile }: CompletedValue): string {
  if (!isFile) return words(patterns(keys), choices ?? []);
  return `    ${patterns(keys)})
      IFS=$'\\n'
      COMPREPLY=($(compgen -f -- "$current"))
      compopt -o filenames 2>/dev/null
      return
      ;;`;
}

function words(pattern: string, known: readonly string[]): string {
  return `    ${pattern}) words='${known.join(' ')}' ;;`;
}

function patterns(keys: readonly string[]): string {
  return keys.map((key) => `'${key}'`).join(' | ');
}
