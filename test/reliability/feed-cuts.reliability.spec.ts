import { cutReaders } from './system/cut-readers.fixture.js';
import { IS_LONG } from './system/run-form.js';
import { createSystem, DATABASES, PATIENT } from './system/system-under-test.fixture.js';

const CUTS = IS_LONG ? 10_000 : 100;

describe.each(DATABASES)('streams of events on %s that are cut while others write and the service is killed', (_name, createDatabase) => {
  it('give each client every event once and in order', async () => {
    const system = await createSystem(createDatabase, { ...PATIENT, FEED_STREAMS_PER_KEY: '1000' });
    const { expected, readers } = await cutReaders(system, CUTS);
    for (const { ids, hasGivenUp } of readers) {
      expect(hasGivenUp).toBe(false);
      expect(ids).toEqual(expected);
    }
  });
});
