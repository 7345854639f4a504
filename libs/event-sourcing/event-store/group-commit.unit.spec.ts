import { setImmediate as nextTurn } from 'node:timers/promises';
import { simulate, VirtualTimers } from '#libs/testing';
import { GroupCommit, type Outcome } from './group-commit.js';

const [MAX_WAIT, MAX_COMMIT, LATENESS] = [50, 40, 5];

/** Adds an item, and another in each of so many turns of the event loop. Returns the groups in which they were committed. */
function groupsOf(turns: number): Promise<(readonly number[])[]> {
  const timers = new VirtualTimers(turns);
  const groups: (readonly number[])[] = [];
  const commit = async (items: readonly number[]) => {
    groups.push(items);
    return items.map((result) => ({ result }));
  };
  const group = new GroupCommit<number, number>(commit, MAX_WAIT, timers);
  const addAll = async () => {
    const results = [group.add(0)];
    for (let item = 1; item <= turns; item += 1) {
      results.push(group.add(item));
      await nextTurn();
    }
    await Promise.all(results);
    return groups;
  };
  return timers.run(addAll());
}

describe('a group commit', () => {
  it('takes what further turns bring, and is closed also while every turn brings somebody', async () => {
    expect(await groupsOf(4)).toEqual([[0, 1, 2, 3, 4]]);
    expect((await groupsOf(100))[0]?.length).toBeLessThan(50);
  });

  it('gives each caller its own outcome when that is durable, in order, or none at its deadline', () =>
    simulate(500, async (timers) => {
      timers.lateness = timers.integer(0, LATENESS);
      const wrong: string[] = [];
      const [durable, committed, deadlines] = [new Map<number, Outcome<string>>(), [] as number[], new Map<number, number>()];
      let unsent = 0;
      const commit = async (items: readonly number[], deadline: number, sent: () => void): Promise<Outcome<string>[]> => {
        if (unsent++ > 0) wrong.push('two commits before one is sent');
        if (deadline !== deadlines.get(items[0] ?? 0)) wrong.push('not the deadline of the first');
        committed.push(...items);
        const failure = timers.random() < 0.2 ? { error: `failure of ${committed.length}` } : undefined;
        await timers.sleep(timers.integer(0, timers.random() < 0.3 ? 4 * MAX_WAIT : MAX_COMMIT));
        unsent -= 1;
        if (!failure || timers.random() < 0.5) sent();
        await timers.sleep(timers.integer(0, failure ? 0 : MAX_COMMIT));
        const outcomes = items.map(
          (item) => failure ?? (timers.random() < 0.2 ? { error: `conflict of ${item}` } : { result: `of ${item}` }),
        );
        items.forEach((item, index) => durable.set(item, outcomes[index] ?? { error: 'none' }));
        if (failure) throw failure.error as unknown as Error;
        return outcomes;
      };
      const group = new GroupCommit(commit, MAX_WAIT, timers);
      const ask = async (item: number) => {
        const [isIdle, deadline] = [unsent === 0, timers.now() + MAX_WAIT];
        deadlines.set(item, deadline);
        const outcome = await group.add(item).then(
          (result) => ({ result }),
          (error: unknown) => ({ error }),
        );
        const expected = durable.get(item) ?? { error: expect.objectContaining({ code: 'service_unavailable', outcome: 'unchanged' }) };
        expect(outcome).toEqual(expected);
        if (committed.includes(item)) return;
        // It waited for the commit before until its deadline.
        expect(isIdle).toBe(false);
        expect(timers.now()).toBeGreaterThanOrEqual(deadline);
        expect(timers.now()).toBeLessThanOrEqual(deadline + LATENESS);
      };
      const callers: Promise<void>[] = [];
      for (let item = 1; item <= 20; item += 1) {
        callers.push(ask(item));
        if (timers.random() < 0.7) await timers.sleep(timers.random() < 0.7 ? 0 : timers.integer(0, MAX_COMMIT));
      }
      await Promise.all(callers);
      expect(committed).toEqual([...new Set(committed)].sort((one, other) => one - other));
      expect(wrong).toEqual([]);
    }));
});
