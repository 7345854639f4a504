// Writes a module, or a part of one. If it cannot write everything, it writes nothing.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Refusal } from './refusal.mjs';

const USAGE = `Usage: npm run generate -- module NAME [--command C]... [--field F]... [--singular NAME] [--dry-run]
       npm run generate -- command|query|event NAME --module NAME [--dry-run]
       npm run generate -- field NAME[:KIND] --module NAME [--dry-run]
       npm run generate -- follower NAME --module NAME --event TYPE [--dry-run]

  module NAME      a module by its plural name, such as appointments
  command NAME     a command of a module, such as close-shelter
  query NAME       a query of a module, such as list-closures
  event NAME       an event of a module in the past tense, such as shelter-closed
  field NAME       an optional field of what a module records, such as breed, or
                   neuteredAt:time; kinds are those of --field (default: text)
  follower NAME    what a module does after an event of any module, such as thank-adopters

  --command C      the first one takes all fields, such as book; further ones move
                   the status, such as cancel, or change fields, such as
                   move:startsAt,note; put=put names a past tense
                   (default: add, and rename:name if there is a field name)
  --field F        NAME:KIND, or NAME:KIND? if it is optional; kinds are
                   text, int64, time, boolean and 'enum(a,b)', in quotes because
                   of the shell (default: name:text)
  --module NAME    the module that a part or a field is for
  --event TYPE     the event that a follower is called with, such as order-delivered
  --singular NAME  one of what a module is named after, where grammar does not tell
  --dry-run        print the paths of what would be written, and write nothing
  -h, --help       print this`;

const KINDS = ['module', 'command', 'query', 'event', 'field', 'follower'];

try {
  const request = readWords(process.argv.slice(2));
  console.log(request === 'help' ? USAGE : (await generated(request)).join('\n'));
} catch (error) {
  if (!(error instanceof Refusal)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

/** The libraries that it is written with are there only once they are installed. */
async function generated(request) {
  if (!existsSync(join(import.meta.dirname, '../node_modules'))) throw new Refusal('Run npm ci first.');
  const { generate } = await import('./generate.mjs');
  return generate(request);
}

/** What `generate` is to do; 'help' where its usage is asked for. */
function readWords(words) {
  const { values, positionals } = parsed(words);
  if (values.help) return 'help';
  const [kind, name, ...rest] = positionals;
  const { 'dry-run': dryRun = false, singular, module, event, command: commands, field: fields } = values;
  if (kind !== 'module' && (commands || fields)) throw new Refusal('Only a module takes --command and --field; --help says more.');
  if (KINDS.includes(kind) && name !== undefined && rest.length === 0) {
    return { kind, name, dryRun, singular, module, event, commands, fields };
  }
  throw new Refusal(
    'What to generate has to be said, such as "module shelters", or "command|query|event|field NAME --module shelters"; --help says more.',
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
        command: { type: 'string', multiple: true },
        field: { type: 'string', multiple: true },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    throw new Refusal(error.message.split('\n')[0], { cause: error });
  }
}
