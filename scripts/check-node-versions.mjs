// Builds the native module on each Node version named, starts the built service with it and asks it something.
// Usage: node scripts/check-node-versions.mjs [20 22 24.18 ...]; the Node that runs this script is checked as it is.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { copyBuiltService, installNode, rebuildNativeModule } from './node-versions/other-node.mjs';
import { askService } from './node-versions/ask-service.mjs';

const root = join(import.meta.dirname, '..');
const scratch = await mkdtemp(join(tmpdir(), 'adoption-node-versions-'));

async function check(node, service) {
  const version = await askService(node, service, scratch);
  console.log(`${version}: adds and lists an animal, answers what is sent ahead, and ends with 0`);
}

try {
  await check(process.execPath, root);
  const copy = join(scratch, 'service');
  const majors = process.argv.slice(2).filter((major) => major !== process.versions.node.split('.')[0]);
  if (majors.length > 0) await copyBuiltService(root, copy);
  for (const major of majors) {
    const { node, headers } = await installNode(major, join(scratch, `node-${major}`));
    await rebuildNativeModule(node, headers, copy);
    await check(node, copy);
  }
} finally {
  await rm(scratch, { recursive: true, force: true });
}
