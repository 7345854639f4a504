import fc from 'fast-check';
import { expectAgreement } from '../../../test/e2e/orders/store-agreement.fixture.js';
import { commandsAcrossRestarts, storeCommands } from '../../../test/e2e/orders/store-commands.fixture.js';
import { StoreUnderTest } from '../../../test/e2e/orders/store-under-test.fixture.js';

/** Milliseconds after which no more is drawn, or a failure made no smaller. */
const LONGEST = 45_000;

describe('a store does what its rules say', () => {
  let store: StoreUnderTest | undefined;
  afterEach(async () => {
    await store?.close();
    store = undefined;
  });

  /** Runs what is drawn on one store, each time with new animals and callers; on a new one after a failure, which may have left traces. */
  const property = (commands: typeof storeCommands, maxCommands: number) =>
    fc.asyncProperty(fc.commands(commands, { maxCommands, size: 'max' }), async (drawn) => {
      const used = (store ??= await StoreUnderTest.open());
      try {
        const model = await used.beginRun();
        await fc.asyncModelRun(() => ({ model, real: used }), drawn);
        await expectAgreement(model, used);
      } catch (failure) {
        store = undefined;
        await used.close();
        throw failure;
      }
    });

  it('whatever its callers do and however much time passes', async () => {
    await fc.assert(property(storeCommands, 60), { numRuns: 60, interruptAfterTimeLimit: LONGEST });
  });

  it('also when it is stopped and started', async () => {
    await fc.assert(property(commandsAcrossRestarts, 40), { numRuns: 6, interruptAfterTimeLimit: LONGEST });
  });
});
