// Writes a module, or a part of one. Nothing is left behind where it cannot write everything.
import { parseArgs } from 'node:util';
import { generate, kinds } from './generate.mjs';
import { Refusal } from './refusal.mjs';

const USAGE = `Usage: npm run generate -- module NAME [--singular NAME] [--dry-run]
       npm run generate -- command|query|event NAME --module NAME [--dry-run]
       npm run generate -- follower NAME --module NAME --event TYPE [--dry-run]

  module NAME      a module by its plural name, such as shelters
  command NAME     a command of a module, such as close-shelter
  query NAME       a query of a module, such as list-closures
  event NAME       an event of a module in the past tense, such as shelter-closed
  follower NAME    what a module does after an event of any module, such as thank-adopters

  --module NAME    the module that a command, a query, an event or a follower is for
  --event TYPE     the event that a follower is called with, such as order-delivered
  --singular NAME  one of what a module is named after, where grammar does not tell
  --dry-run        print the paths of what would be written, and write nothing
  -h, --help       print this`;

try {
  const request = readWords(process.argv.slice(2));
  console.log(request === 'help' ? USAGE : (await generate(request)).join('\n'));
} catch (error) {
  if (!(error instanceof Refusal)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

/** What `generate` is to do; 'help' where its usage is asked for. */
function readWords(words) {
  const { values, positionals } = parsed(words);
  if (values.help) return 'help';
  const [kind, name, ...rest] = positionals;
  const { 'dry-run': dryRun = false, singular, module, event } = values;
  if (kinds.includes(kind) && name !== undefined && rest.length === 0) return { kind, name, dryRun, singular, module, event };
  throw new Refusal(
    'What to generate has to be said, such as "module shelters", or "command|query|event NAME --module shelters"; --help says more.',
  );
}

function parsed(words) {
  try {
    return parseArgs({
      args: words,
      allowPositionals: true,
      options: {
        'dry-run': { type: 'boolean' },
        singular: { type: 'string' },
        module: { type: 'string' },
        event: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    throw new Refusal(error.message.split('\n')[0], { cause: error });
  }
}
