import { readFileSync } from 'node:fs';

/**
 * Whether exactly this path is a mount point, as that of a file is which is mounted without its folder. False if this cannot be known.
 * @param mounts the text of Linux' `/proc/self/mountinfo`
 */
export function isMountPoint(path: string, mounts: string = readMounts()): boolean {
  // A line is `ID PARENT DEVICE ROOT MOUNT-POINT …`, a space in a path being `\040` (proc(5)).
  return mounts.split('\n').some((line) => decodePath(line.split(' ')[4]) === path);
}

function decodePath(text = ''): string {
  return text.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(parseInt(octal, 8)));
}

function readMounts(): string {
  try {
    return readFileSync('/proc/self/mountinfo', 'utf8');
  } catch {
    return '';
  }
}
