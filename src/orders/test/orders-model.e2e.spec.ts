import fc from 'fast-check';
import { expectAgreement } from '../../../test/e2e/orders/store-agreement.fixture.js';
import { commandsAcrossRestarts, storeCommands } from '../../../test/e2e/orders/store-commands.fixture.js';
import { StoreUnderTest } from '../../../test/e2e/orders/store-under-test.fixture.js';

describe('orders and their animals do what the rules say', () => {
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

  it('whatever callers do and however much time passes', async () => {
    await fc.assert(property(storeCommands, 60), { numRuns: 5 });
  });

  it('also when the service is stopped and started', async () => {
    await fc.assert(property(commandsAcrossRestarts, 30), { numRuns: 2 });
  });
});
