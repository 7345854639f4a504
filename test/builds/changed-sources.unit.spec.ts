import { changes } from '../upgrade/next-version.fixture.js';
import { withoutOrders } from '../upgrade/version-without-orders.fixture.js';
import { changedSource, type SourceChanges } from './changed-build.fixture.js';

const builds: Readonly<Record<string, SourceChanges>> = { 'the next version': changes, withoutOrders };

// What is built so is started by the slow suites alone, and these sources change without them.
describe('the sources of builds other than this one', () => {
  it.each(Object.keys(builds))('still have what %s changes', async (name) => {
    for (const [path, ofFile] of Object.entries(builds[name] ?? {})) await changedSource(path, ofFile);
  });
});
