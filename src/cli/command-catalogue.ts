import { Command } from 'commander';
import { registerCommands } from '../composition.js';
import { ApplicationCliContext } from './application-cli-context.js';
import { catalogueOf, type CataloguedCommand } from './catalogue/index.js';
import { ResultPrinter } from './result-printer.js';
import { StandardOutput } from './standard-output.js';

/** How the commands of all modules are used. Part of the build, which writes it down for `src/cli.ts`. */
export function commandCatalogue(): CataloguedCommand {
  const program = new Command();
  const { stdin, stdout, stderr } = process;
  const loadEnvironment = () => ({});
  const results = new ResultPrinter(new StandardOutput(stdout), stdout, loadEnvironment);
  registerCommands(program, new ApplicationCliContext(results, { loadEnvironment, stdin, stdout, stderr }));
  return catalogueOf(program);
}
