// Writes what runs in production as a bill of materials, CycloneDX 1.5 in JSON, from the lock file: without what is for development or
// optional, as the Dockerfile installs it. The same lock file gives the same bytes with the same npm, which writes most of it.
// Usage: node scripts/write-bill-of-materials.mjs [FILE]   (sbom.cdx.json in the working folder when left out)
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));

/** Packages alone that `npm ci --omit=dev --omit=optional` installs. What is not in node_modules is a folder of this project. */
function isInstalled([path, { dev, devOptional, optional, link }]) {
  return path.startsWith('node_modules/') && !dev && !devOptional && !optional && !link;
}

/** What npm says of manifests that have these packages alone: told to omit the others, it also omits packages that both need. */
function listMaterials() {
  const folder = mkdtempSync(join(tmpdir(), 'adoption-materials-'));
  try {
    // npm names the service as its folder.
    const project = join(folder, manifest.name);
    const alone = { devDependencies: undefined, workspaces: undefined };
    const packages = { '': { ...lock.packages[''], ...alone }, ...Object.fromEntries(Object.entries(lock.packages).filter(isInstalled)) };
    mkdirSync(project);
    writeFileSync(join(project, 'package.json'), JSON.stringify({ ...manifest, ...alone }));
    writeFileSync(join(project, 'package-lock.json'), JSON.stringify({ ...lock, packages }));
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
