import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Refusal } from './refusal.mjs';

/**
 * Writes all changes in their order, or none: when one fails, those before are taken back.
 * @param changes each a file's path and text; and what it held `before`, where it is no new file
 * @throws Refusal naming the file that cannot be written
 */
export function writeChanges(root, changes) {
  const takeBack = [];
  for (const change of changes) {
    try {
      write(join(root, change.path), change, takeBack);
    } catch (error) {
      for (const step of takeBack.reverse()) step();
      throw new Refusal(`${change.path} cannot be written, so nothing was: ${error.message}.`, { cause: error });
    }
  }
}

function write(file, { text, before }, takeBack) {
  if (before !== undefined) {
    if (readFileSync(file, 'utf8') !== before) throw new Error('it has changed meanwhile');
    takeBack.push(() => {
      if (readFileSync(file, 'utf8') !== before) writeFileSync(file, before);
    });
    writeFileSync(file, text);
    return;
  }
  const made = mkdirSync(dirname(file), { recursive: true });
  if (made !== undefined) takeBack.push(() => rmSync(made, { recursive: true }));
  const created = openSync(file, 'wx');
  takeBack.push(() => rmSync(file));
  try {
    writeFileSync(created, text);
  } finally {
    closeSync(created);
  }
}
