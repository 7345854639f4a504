// Writes a module, or a part of one, and the documents with it. If it cannot write everything, it writes nothing.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';

const USAGE = `Usage: npm run generate -- module NAME [--command C]... [--field F]... [--internal C]...
                                [--state NAME] [--singular NAME]
       npm run generate -- command|query|event NAME --module NAME
       npm run generate -- field NAME[:KIND] --module NAME
       npm run generate -- follower NAME --module NAME --event TYPE

  module NAME      a module by its plural name, such as appointments
  command NAME     a command of a module, such as close-shelter
  query NAME       a query of a module, such as list-closures
  event NAME       an event of a module in the past tense, such as shelter-closed
  field NAME       an optional field of what a module records, such as breed, or
                   neuteredAt:time; kinds are those of --field (default: text)
  follower NAME    what a module does after an event of any module, such as thank-adopters

  --command C      the first one takes all fields, such as book; further ones move
                   the status, such as cancel=cancelled, or change fields, such as
                   move:startsAt,note; an irregular past tense has to be said, as in
                   hold=held, and a status that is another word, as in book=booked=open
                   or cancel==void (default: add, and change with all fields)
  --internal C     a further command that clients cannot send, such as for a deadline
  --field F        NAME:KIND, or NAME:KIND? if it is optional; kinds are text,
                   int64, time, boolean, 'enum(a,b)', and 'text(80)' for at most
                   80 characters, in quotes because of the shell (default: name:text)
  --module NAME    the module that a part or a field is for
  --event TYPE     the event that a follower is called with, such as order-delivered
  --singular NAME  one of what a module is named after, where grammar does not tell
  --state NAME     the name of the status, such as stage (default: status)
  --dry-run        print the files that would be written, without the documents
  -h, --help       print this`;

const root = join(import.meta.dirname, '..');
if (!existsSync(join(root, 'node_modules'))) {
  console.error('Run npm ci first.');
  process.exit(1);
}
const { fieldChanges } = await import('./field.mjs');
const { moduleChanges } = await import('./module.mjs');
const { Refusal } = await import('./names.mjs');
const { partChanges } = await import('./part.mjs');
const REMAINING = `The documents are written too. Yours are tests, an entry in CHANGELOG.md, and what npm run check finds;
npm run test:one -- src/bootstrap/projection-versions records new versions of projections.`;
const KINDS = {
  module: moduleChanges,
  command: partChanges,
  query: partChanges,
  event: partChanges,
  field: fieldChanges,
  follower: partChanges,
};
const OPTIONS = {
  'dry-run': { type: 'boolean' },
  singular: { type: 'string' },
  state: { type: 'string' },
  module: { type: 'string' },
  event: { type: 'string' },
  command: { type: 'string', multiple: true },
  internal: { type: 'string', multiple: true },
  field: { type: 'string', multiple: true },
  help: { type: 'boolean', short: 'h' },
};

try {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: OPTIONS });
  if (values.help) console.log(USAGE);
  else {
    const changes = await changesOf(positionals, values);
    if (!values['dry-run']) write(changes);
    console.log(changes.map(({ path }) => path).join('\n'));
    if (!values['dry-run']) console.error(`\n${REMAINING}`);
  }
} catch (error) {
  if (!(error instanceof Refusal) && !error.code?.startsWith('ERR_PARSE_ARGS')) throw error;
  console.error(error.message.split('\n')[0]);
  process.exitCode = 1;
}

/** What a request changes: each a file's path and text, and its text `before` unless it is a new file. */
function changesOf([kind, name, ...rest], { module, ...options }) {
  if (!Object.hasOwn(KINDS, kind ?? '') || name === undefined || rest.length > 0) {
    throw new Refusal(
      'Say what to generate, such as "module shelters", or "command|query|event|field NAME --module shelters"; --help says more.',
    );
  }
  if (kind !== 'module') {
    const own = ['command', 'internal', 'field', 'state'].find((option) => options[option]);
    if (own) throw new Refusal(`Only a module takes --${own}; --help says more.`);
    if (module === undefined) throw new Refusal(`Say which module the ${kind} is for, such as --module shelters.`);
    if (!existsSync(join(root, 'src', module, 'index.ts'))) throw new Refusal(`There is no module src/${module}.`);
  }
  return KINDS[kind](root, { kind, name, module, ...options });
}

/** Writes all changes and the documents with them, or nothing. */
function write(changes) {
  const takeBack = [];
  try {
    for (const { path, text, before } of changes) {
      const file = join(root, path);
      const made = mkdirSync(dirname(file), { recursive: true });
      takeBack.unshift(() => (before === undefined ? rmSync(made ?? file, { recursive: true, force: true }) : writeFileSync(file, before)));
      writeFileSync(file, text);
    }
    const { status } = spawnSync('npm run --silent documents', { cwd: root, stdio: 'inherit', shell: true });
    if (status !== 0) throw new Error('what is generated cannot be built, as shown above: take other names.');
  } catch (error) {
    for (const step of takeBack) step();
    throw new Refusal(`Nothing was written: ${error.message}`, { cause: error });
  }
}
