import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Refusal } from './refusal.mjs';

/**
 * Does work while no other process does it.
 * @throws Refusal while another one does; what one that has died left behind is passed over
 */
export async function alone(file, work) {
  take(file);
  try {
    return await work();
  } finally {
    rmSync(file, { force: true });
  }
}

function take(file) {
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
