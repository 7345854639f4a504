import { readFileSync } from 'node:fs';
import { dirname, sep } from 'node:path';

/** What container engines make of an image and what is written in the container itself. */
const LAYERED = new Set(['aufs', 'fuse.fuse-overlayfs', 'overlay']);

/**
 * Whether a file is in the container itself, and so is lost with it, since neither it nor a folder above it is a volume.
 * Never where this cannot be known.
 * @param file absolute path; it need not exist
 * @param mounts the text of Linux' `/proc/self/mountinfo`
 */
export function isInWritableLayer(file: string, mounts: string = mountsOfProcess()): boolean {
  const types = mountTypes(mounts);
  for (let place = file; ; place = dirname(place)) {
    const type = types.get(place);
    if (type !== undefined) return LAYERED.has(type);
    if (place === dirname(place)) return false;
  }
}

/** Whether exactly this path is a mount point, as that of a file is which is mounted without its folder. */
export function isMountPoint(path: string, mounts: string = mountsOfProcess()): boolean {
  return mountTypes(mounts).has(path);
}

/** Returns the types of the file systems by their mount points. */
function mountTypes(mounts: string): ReadonlyMap<string, string | undefined> {
  return new Map(mounts.split('\n').map(mountPointAndType));
}

/** A line is `ID PARENT DEVICE ROOT MOUNT-POINT OPTIONS [TAG…] - TYPE SOURCE OPTIONS`, a space in a path being `\040` (proc(5)). */
function mountPointAndType(line: string): readonly [string, string | undefined] {
  const [before = '', after = ''] = line.split(' - ');
  const point = before.split(' ')[4] ?? '';
  return [point.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(parseInt(octal, 8))), after.split(' ')[0]];
}

function mountsOfProcess(): string {
  try {
    return sep === '/' ? readFileSync('/proc/self/mountinfo', 'utf8') : '';
  } catch {
    return '';
  }
}
