import { existsSync, readFileSync } from 'node:fs';
import { chmod, chown, copyFile, cp, mkdir, readdir } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { makeTemporaryFolder } from '../cleanup/temporary-folder.js';

interface LockedPackage {
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly optional?: boolean;
  readonly link?: boolean;
}

/** The file system of the image, in a folder: what is installed and built in `/app`, an empty `/data`, nothing else to write to. */
export interface ProductionInstall {
  /** The folder that stands for `/`. */
  readonly root: string;
  /** All paths except those below `/data`. */
  paths(): Promise<string[]>;
}

/**
 * Copies what the Dockerfile installs from what is installed here: packages of the lockfile that are neither optional nor for development.
 * @param owner of `/data`, if the caller may give files away
 */
export async function createProductionInstall(
  owner: { readonly uid: number; readonly gid: number } | undefined,
): Promise<ProductionInstall> {
  const root = makeTemporaryFolder('image');
  const [app, data] = [join(root, 'app'), join(root, 'data')];
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Record<string, LockedPackage> };
  for (const [path, { dev, devOptional, optional, link }] of Object.entries(packages)) {
    // A package for another platform is in the lockfile, but not installed.
    const isInstalled = path.startsWith(`node_modules${sep}`) && !dev && !devOptional && !optional && !link && existsSync(path);
    // A package's own packages are in the lockfile by themselves.
    const filter = (file: string) => !file.slice(path.length).includes('node_modules');
    if (isInstalled) await cp(path, join(app, path), { recursive: true, filter });
  }
  await cp('dist', join(app, 'dist'), { recursive: true });
  await copyFile('package.json', join(app, 'package.json'));
  await mkdir(data, { mode: 0o700 });
  if (owner) await chown(data, owner.uid, owner.gid);
  await Promise.all([root, app].map((folder) => chmod(folder, 0o555)));
  return { root, paths: async () => (await readdir(root, { recursive: true })).filter((path) => !path.startsWith('data/')).sort() };
}
