// Writes what runs in production as a bill of materials, CycloneDX 1.5 in JSON, from the lock file: what the Dockerfile installs, without
// what is for development or optional, and the packages that the build takes parts of. The same lock file gives the same bytes with the
// same npm, which writes most of it.
// Usage: node scripts/write-bill-of-materials.mjs [FILE]   (default: sbom.cdx.json in the working folder)
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const [manifest, lock, assets] = ['package.json', 'package-lock.json', 'nest-cli.json'].map((name) =>
  JSON.parse(readFileSync(join(root, name), 'utf8')),
);

/** Only packages that `npm ci --omit=dev --omit=optional` installs. What is not in node_modules is a folder of this project. */
function isInstalled([path, { dev, devOptional, optional, link }]) {
  return path.startsWith('node_modules/') && !dev && !devOptional && !optional && !link;
}

/** Names of the packages whose files only the build takes: into programs (scripts/bundle-programs.mjs) or for pages (nest-cli.json). */
function partsOfDist() {
  const copied = assets.compilerOptions.assets.flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []);
  return new Set([...Object.keys(manifest.optionalDependencies), ...copied]);
}

/** Adds to the paths that of a package and all that it needs, which a file of it may have in it already. */
function addWithNeeds(path, paths) {
  if (paths.has(path)) return;
  paths.add(path);
  const { dependencies, peerDependencies = {}, peerDependenciesMeta = {} } = lock.packages[path];
  const peers = Object.keys(peerDependencies).filter((name) => !peerDependenciesMeta[name]?.optional);
  for (const name of [...Object.keys(dependencies ?? {}), ...peers]) addWithNeeds(find(name, `${path}/`), paths);
}

/** As Node looks for packages: in the folder that needs it, and in each one above. */
function find(name, folder) {
  const path = `${folder}node_modules/${name}`;
  if (path in lock.packages) return path;
  if (folder === '') throw new Error(`package-lock.json has no ${name}.`);
  return find(name, folder.slice(0, folder.lastIndexOf('node_modules/')));
}

/** The manifest and the lock file of a project with only these packages: if npm omits others, it also omits packages that both need. */
function productionAlone() {
  const parts = partsOfDist();
  const paths = new Set();
  for (const name of parts) addWithNeeds(find(name, ''), paths);
  const flagless = (entry) => ({ ...entry, dev: undefined, devOptional: undefined, optional: undefined });
  const packages = Object.entries(lock.packages).filter((entry) => isInstalled(entry) || paths.has(entry[0]));
  const ranges = { ...manifest.devDependencies, ...manifest.optionalDependencies };
  const dependencies = { ...manifest.dependencies, ...Object.fromEntries([...parts].map((name) => [name, ranges[name]])) };
  const alone = { dependencies, devDependencies: undefined, optionalDependencies: undefined, workspaces: undefined };
  const locked = Object.fromEntries(packages.map(([path, entry]) => [path, flagless(entry)]));
  return {
    manifest: { ...manifest, ...alone },
    lock: { ...lock, packages: { '': { ...lock.packages[''], ...alone }, ...locked } },
  };
}

/** What npm says of them. */
function listMaterials() {
  const folder = mkdtempSync(join(tmpdir(), 'adoption-materials-'));
  try {
    // npm names the service as its folder.
    const project = join(folder, manifest.name);
    const alone = productionAlone();
    mkdirSync(project);
    writeFileSync(join(project, 'package.json'), JSON.stringify(alone.manifest));
    writeFileSync(join(project, 'package-lock.json'), JSON.stringify(alone.lock));
    const words = ['sbom', '--package-lock-only', '--sbom-format=cyclonedx', '--sbom-type=application'];
    const { status, stdout, stderr } = spawnSync('npm', words, { cwd: project, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
    if (status !== 0) throw new Error(`npm ended with ${status}: ${stderr}`);
    return JSON.parse(stdout);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** What makes two runs differ is taken from what the list says: no time, and a number that is drawn from the content. */
function reproducible(bill) {
  const metadata = { ...bill.metadata, timestamp: undefined };
  const digest = createHash('sha256')
    .update(JSON.stringify({ ...bill, metadata, serialNumber: undefined }))
    .digest('hex');
  // Version 8 of RFC 9562: a UUID of one's own making.
  const parts = [digest.slice(0, 8), digest.slice(8, 12), `8${digest.slice(13, 16)}`, `8${digest.slice(17, 20)}`, digest.slice(20, 32)];
  return { ...bill, metadata, serialNumber: `urn:uuid:${parts.join('-')}` };
}

const [file = 'sbom.cdx.json'] = process.argv.slice(2);
const bill = reproducible(listMaterials());
writeFileSync(file, `${JSON.stringify(bill, undefined, 2)}\n`);
console.log(`${file} lists ${bill.components.length} packages.`);
