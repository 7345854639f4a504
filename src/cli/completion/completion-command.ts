import { Argument, type Command } from 'commander';
import { bashCompletion } from './bash-completion.js';
import { completedCommand, type CompletedCommand } from './completed-command.js';
import { fishCompletion } from './fish-completion.js';
import { zshCompletion } from './zsh-completion.js';

const SCRIPTS: ReadonlyMap<string, (program: CompletedCommand) => string> = new Map([
  ['bash', bashCompletion],
  ['zsh', zshCompletion],
  ['fish', fishCompletion],
]);

const HELP = `
To have it in every shell from now on:
  bash: echo 'source <(adoption completion bash)' >> ~/.bashrc
  zsh:  echo 'source <(adoption completion zsh)' >> ~/.zshrc   (behind compinit)
  fish: adoption completion fish > ~/.config/fish/completions/adoption.fish`;

/** Adds `completion bash|zsh|fish`, which writes a script for the shell that knows all commands that the program has when it is run. */
export function addCompletion(program: Command, write: (script: string) => void): void {
  program
    .command('completion')
    .description('print a script with which a shell completes commands, options and values')
    .addArgument(new Argument('<shell>', 'the shell').choices([...SCRIPTS.keys()]))
    .addHelpText('after', HELP)
    .action((shell: string) => {
      write(SCRIPTS.get(shell)?.(completedCommand(program)) ?? '');
    });
}
