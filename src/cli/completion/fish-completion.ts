import {
  allCommands,
  keyOf,
  valueOptionKeys,
  type CompletedCommand,
  type CompletedOption,
  type CompletedValue,
} from './completed-command.js';

/** A script that completes the program's lines in fish, from version 3.4. */
export function fishCompletion(program: CompletedCommand): string {
  const commands = allCommands(program);
  const paths = commands.filter(({ path }) => path.length > 0).map(keyOf);
  const valueOptions = commands.flatMap(valueOptionKeys);
  return `# Completes adoption in fish: adoption completion fish | source
function __adoption_place
    set -l command ''
    set -l option ''
    set -l place 0
    for word in (commandline -opc)[2..-1]
        if test -n "$option"
            set option ''
        else if contains -- "$command $word" ${list(paths)}
            set command "$command $word"
        else if contains -- "$command $word" ${list(valueOptions)}
            set option $word
        else if not string match -q -- '-*' $word
            set place (math $place + 1)
        end
    end
    echo "$command:$place"
end
function __adoption_at
    test (__adoption_place) = $argv[1]
end
function __adoption_in
    string match -q -- "$argv[1]:*" (__adoption_place)
end
complete -c adoption -e
complete -c adoption -f
${commands.flatMap(linesOf).join('\n')}
`;
}

function linesOf({ path, commands, options, values }: CompletedCommand): string[] {
  const key = keyOf({ path });
  const names = commands.map(({ path: inner, description }) => `${at(key, 0)} -a ${quoted(inner.at(-1) ?? '')} -d ${quoted(description)}`);
  return [
    ...names,
    ...values.flatMap((value, index) => valueLines(value, at(key, index))),
    ...options.map((option) => optionLine(option, `complete -c adoption -n ${quoted(`__adoption_in ${quoted(key)}`)}`)),
  ];
}

function at(key: string, place: number): string {
  return `complete -c adoption -n ${quoted(`__adoption_at ${quoted(`${key}:${place}`)}`)}`;
}

function valueLines({ choices, isFile }: CompletedValue, condition: string): string[] {
  if (isFile) return [`${condition} -F`];
  return choices ? [`${condition} -a ${quoted(choices.join(' '))}`] : [];
}

function optionLine({ flags, description, value }: CompletedOption, condition: string): string {
  const names = flags.map((flag) => (flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`));
  return [condition, ...names, ...valueSwitches(value), '-d', quoted(description)].join(' ');
}

function valueSwitches(value: CompletedValue | undefined): string[] {
  if (!value) return [];
  if (value.isFile) return ['-r', '-F'];
  return value.choices ? ['-x', '-a', quoted(value.choices.join(' '))] : ['-x'];
}

function list(words: readonly string[]): string {
  return words.map(quoted).join(' ');
}

function quoted(text: string): string {
  return `'${text.replaceAll(/[\\']/g, String.raw`\$&`)}'`;
}
