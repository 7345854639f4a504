// Builds the native module on each Node version named, starts the built service with it and asks it something, by the packed client too.
// Usage: node scripts/check-node-versions.mjs [20 22 24.18 ...]; the Node that runs this script is checked as it is.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { copyBuiltService, installNode, rebuildNativeModule } from './node-versions/other-node.mjs';
import { askService } from './node-versions/ask-service.mjs';
import { createClientProject } from './node-versions/client-project.mjs';

const root = join(import.meta.dirname, '..');
const scratch = await mkdtemp(join(tmpdir(), 'adoption-node-versions-'));

async function check(node, service, clientProject) {
  const version = await askService(node, service, clientProject, scratch);
  console.log(`${version}: adds and lists an animal, for the packed client too, answers what is sent ahead, and ends with 0`);
}

try {
  const clientProject = await createClientProject(root, join(scratch, 'client'));
  await check(process.execPath, root, clientProject);
  const copy = join(scratch, 'service');
  const majors = process.argv.slice(2).filter((major) => major !== process.versions.node.split('.')[0]);
  if (majors.length > 0) await copyBuiltService(root, copy);
  for (const major of majors) {
    const { node, headers } = await installNode(major, join(scratch, `node-${major}`));
    await rebuildNativeModule(node, headers, copy);
    await check(node, copy, clientProject);
  }
} finally {
  await rm(scratch, { recursive: true, force: true });
}
