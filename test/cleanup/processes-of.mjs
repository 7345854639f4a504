import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';

/**
 * The ids of the processes of a run: those that work in its folder, and those that were started with it as the place for what
 * is temporary. None where there is no /proc.
 */
export function processesOf(folder) {
  if (!existsSync('/proc/self/environ')) return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && isOf(folder, `/proc/${name}`))
    .map(Number);
}

function isOf(folder, process) {
  try {
    // A folder that is gone has a remark behind its name.
    const place = readlinkSync(`${process}/cwd`).replace(/ \(deleted\)$/, '');
    return place === folder || place.startsWith(`${folder}/`) || environmentOf(process).includes(`TMPDIR=${folder}`);
  } catch {
    // It has ended meanwhile, or is another user's.
    return false;
  }
}

function environmentOf(process) {
  return readFileSync(`${process}/environ`, 'utf8').split('\0');
}
