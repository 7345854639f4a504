import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** A shell for which there is a script of completion. */
export type CompletingShell = 'bash' | 'zsh' | 'fish';

export interface Completing {
  /** The path of the script. */
  readonly script: string;
  /** The folder in which files are completed. */
  readonly folder: string;
}

/** What the shell would complete the line's last word to when Tab is pressed at its end, sorted. */
export async function completionsIn(shell: CompletingShell, line: string, { script, folder }: Completing): Promise<string[]> {
  const words = { bash: ['--norc', '-c', BASH], zsh: ['-f', '-c', ZSH], fish: ['--no-config', '-c', FISH] }[shell];
  const env = { PATH: process.env['PATH'] ?? '', HOME: folder, SCRIPT: script, LINE: line, SETUP: ZSH_SETUP };
  const { stdout } = await execute(shell, words, { cwd: folder, env });
  // Fish adds what a word means, behind a tab.
  const offered = stdout.split('\n').map((row) => row.replace(/\t.*/, ''));
  return [...new Set(offered.filter((word) => word !== ''))].sort();
}

// As bash does it: words apart at blanks, `=` and `:`, and the function that was named for the program called.
const BASH = `
  source "$SCRIPT"
  COMP_WORDS=()
  for word in \${LINE//=/ = }; do COMP_WORDS+=("\${word}"); done
  [[ $LINE == *[\\ =] ]] && COMP_WORDS+=('')
  COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
  read -r _ _ function _ <<< "$(complete -p adoption)"
  $function 2>/dev/null
  printf '%s\\n' "\${COMPREPLY[@]}"
`;

const FISH = `
  source $SCRIPT
  complete -C $LINE
`;

// A shell on a terminal of its own writes whatever a completion offers, instead of showing it, and ends.
const ZSH_SETUP = `
  PS1=; autoload -Uz compinit; compinit -u -D
  source "$SCRIPT"
  bindkey '^I' complete-word
  comppostfuncs=(exit)
  compadd() {
    if [[ \${@[1,(i)(-|--)]} == *-(O|A|D)\\ * ]]; then builtin compadd "$@"; return $?; fi
    local -a offered; builtin compadd -A offered "$@"
    local word; for word in $offered; do print -r -- "offered:$word"; done
    builtin compadd "$@"
  }
  print ready to complete
`;
const ZSH = `
  zmodload zsh/zpty
  zpty shell zsh -f -i
  zpty -w shell 'eval "$SETUP"'
  zpty -r shell seen $'*ready to complete\\r\\n*'
  zpty -w -n shell "$LINE"$'\\t'
  seen=
  while zpty -r shell part; do seen+=$part; done
  for word in \${(f)seen}; do [[ $word == *offered:* ]] && print -r -- \${\${word##*offered:}%$'\\r'}; done
  true
`;
