import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fieldChanges } from './generate-field.mjs';
import { moduleChanges } from './generate-module.mjs';
import { partChanges } from './generate-part.mjs';
import { Refusal } from './refusal.mjs';

const root = join(import.meta.dirname, '..');

/**
 * Writes a module or a part of one, or nothing at all.
 * @param options `kind` and `name` of it; `singular` of a module's name; `module` that a part is for; `dryRun` to write nothing
 * @returns the paths of what was written, or would be
 * @throws Refusal with what would be right
 */
export async function generate({ kind, dryRun, ...options }) {
  return alone(join(root, 'dist', '.generator.lock'), async () => {
    const changes = await changesOf(kind, options);
    if (!dryRun) writeChanges(root, changes);
    return changes.map(({ path }) => path);
  });
}

function changesOf(kind, options) {
  if (kind === 'module') return moduleChanges(root, options);
  assertModule(root, { kind, module: options.module });
  return kind === 'field' ? fieldChanges(root, options) : partChanges(root, { kind, ...options });
}

/** @throws Refusal for a module that is not said or not there */
function assertModule(root, { kind, module }) {
  if (module === undefined) throw new Refusal(`Say which module the ${kind} is for, such as --module shelters.`);
  if (!/^[a-z0-9-]+$/.test(module) || !existsSync(join(root, 'src', module, 'index.ts'))) {
    throw new Refusal(`There is no module src/${module}.`);
  }
}

/**
 * Does work while no other process does it.
 * @throws Refusal while another one does; what one that has died left behind is passed over
 */
async function alone(file, work) {
  lock(file);
  try {
    return await work();
  } finally {
    rmSync(file, { force: true });
  }
}

function lock(file) {
  mkdirSync(dirname(file), { recursive: true });
  for (;;) {
    try {
      writeFileSync(file, String(process.pid), { flag: 'wx' });
      return;
    } catch (error) {
      if (error.code !== 'EEXIST') throw new Refusal(`${file} cannot be written: ${error.message}.`, { cause: error });
    }
    const owner = Number(readFileSync(file, 'utf8'));
    if (isAlive(owner)) throw new Refusal(`Process ${owner} is generating: run it again when that has ended.`);
    rmSync(file, { force: true });
  }
}

function isAlive(id) {
  try {
    process.kill(id, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/**
 * Writes all changes in their order, or none: when one fails, those before are taken back.
 * @param changes each a file's path and text; and its text `before`, unless it is a new file
 * @throws Refusal naming the file that cannot be written
 */
function writeChanges(root, changes) {
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
