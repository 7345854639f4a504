import { existsSync } from 'node:fs';
import { chmod, chown, copyFile, link, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface Lockfile {
  readonly packages: Readonly<Record<string, { readonly dev?: boolean }>>;
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
 * What `npm ci --omit=dev` would install, taken from what is installed: a package of the lockfile that is for development
 * alone is not there.
 * @param owner of `/data`, where the caller may give files away
 */
export async function createProductionInstall(
  owner: { readonly uid: number; readonly gid: number } | undefined,
): Promise<ProductionInstall> {
  const root = await mkdtemp(join(tmpdir(), 'adoption-image-'));
  const app = join(root, 'app');
  const { packages } = JSON.parse(await readFile('package-lock.json', 'utf8')) as Lockfile;
  for (const [path, { dev = false }] of Object.entries(packages)) {
    // One for another platform is in the lockfile, but not installed.
    if (path !== '' && !dev && existsSync(path)) await linkFolder(path, join(app, path));
  }
  await linkFolder('dist', join(app, 'dist'));
  await linkFile('package.json', join(app, 'package.json'));
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

/** Links every file of a folder, but not the packages that are installed within it. */
async function linkFolder(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory() && entry.name !== 'node_modules') await linkFolder(source, target);
    if (entry.isFile()) await linkFile(source, target);
  }
}

/** A copy where the folder for temporary files is on another disk. */
async function linkFile(from: string, to: string): Promise<void> {
  await link(from, to).catch(() => copyFile(from, to));
}
