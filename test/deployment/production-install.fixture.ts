import { existsSync } from 'node:fs';
import { chmod, chown, copyFile, link, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface LockedPackage {
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly optional?: boolean;
  readonly link?: boolean;
}

/** A file system as the image has it, in a folder: what is installed and built in `/app`, an empty `/data`, nothing to write to else. */
export interface ProductionInstall {
  /** The folder that stands for `/`. */
  readonly root: string;
  /** All paths but those below `/data`. */
  paths(): Promise<string[]>;
  remove(): Promise<void>;
}

/**
 * What the Dockerfile installs, taken from what is installed: a package of the lockfile that is optional or for development is not there.
 * @param owner of `/data`, where the caller may give files away
 */
export async function createProductionInstall(
  owner: { readonly uid: number; readonly gid: number } | undefined,
): Promise<ProductionInstall> {
  const root = await mkdtemp(join(tmpdir(), 'adoption-image-'));
  const app = join(root, 'app');
  await installForProduction(app);
  const data = join(root, 'data');
  await mkdir(data, { mode: 0o700 });
  if (owner) await chown(data, owner.uid, owner.gid);
  await Promise.all([root, app].map((folder) => chmod(folder, 0o555)));
  return {
    root,
    paths: async () => (await readdir(root, { recursive: true })).filter((path) => !path.startsWith('data/')).sort(),
    async remove() {
      await Promise.all([root, app].map((folder) => chmod(folder, 0o755)));
      await rm(root, { recursive: true });
    },
  };
}

async function installForProduction(app: string): Promise<void> {
  const { packages } = JSON.parse(await readFile('package-lock.json', 'utf8')) as { packages: Record<string, LockedPackage> };
  for (const [path, { dev, devOptional, optional, link }] of Object.entries(packages)) {
    // Folders of this project are not there to be installed. One for another platform is in the lockfile, but not installed.
    const isInstalled = path.startsWith('node_modules/') && !dev && !devOptional && !optional && !link && existsSync(path);
    if (isInstalled) await linkFolder(path, join(app, path), (name) => name !== 'node_modules');
  }
  await linkFolder('dist', join(app, 'dist'));
  await linkFile('package.json', join(app, 'package.json'));
}

/** Links every file of a folder, and of those in it that are wanted: a package's own packages are in the lockfile by themselves. */
async function linkFolder(from: string, to: string, wanted: (name: string) => boolean = () => true): Promise<void> {
  await mkdir(to, { recursive: true });
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory() && wanted(entry.name)) await linkFolder(source, target, wanted);
    if (entry.isFile()) await linkFile(source, target);
  }
}

/** A copy where the folder for temporary files is on another disk. */
async function linkFile(from: string, to: string): Promise<void> {
  await link(from, to).catch(() => copyFile(from, to));
}
