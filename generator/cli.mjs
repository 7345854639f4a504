// Writes a module, or a command, a query or an event of one. Nothing is left behind where it cannot write everything.
// Usage: npm run generate -- module NAME [--singular NAME] [--dry-run]
//        npm run generate -- command|query|event NAME --module NAME [--dry-run]
import { parseArgs } from 'node:util';
import { generate, kinds } from './generate.mjs';
import { Refusal } from './refusal.mjs';

try {
  const paths = await generate(readWords(process.argv.slice(2)));
  console.log(paths.join('\n'));
} catch (error) {
  if (!(error instanceof Refusal)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

function readWords(words) {
  const { values, positionals } = parsed(words);
  const [kind, name, ...rest] = positionals;
  const { 'dry-run': dryRun = false, singular, module } = values;
  if (kinds.includes(kind) && name !== undefined && rest.length === 0) return { kind, name, dryRun, singular, module };
  throw new Refusal('What to generate has to be said, such as "module shelters", or "command|query|event NAME --module shelters".');
}

function parsed(words) {
  try {
    return parseArgs({
      args: words,
      allowPositionals: true,
      options: { 'dry-run': { type: 'boolean' }, singular: { type: 'string' }, module: { type: 'string' } },
    });
  } catch (error) {
    throw new Refusal(error.message.split('\n')[0], { cause: error });
  }
}
