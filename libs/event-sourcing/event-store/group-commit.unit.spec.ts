import { setImmediate as nextTurn } from 'node:timers/promises';
import { GroupCommit, type Outcome } from './group-commit.js';

/** Commits that end when the test says so, and the groups they were given. */
class HeldCommits {
  readonly groups: (readonly number[])[] = [];
  /** Whether what is committed is on disk at once. */
  isOnDisk = Promise.resolve();
  private finish: (() => void) | undefined;

  readonly commit = async (items: readonly number[], _deadline: number, sent: () => void): Promise<Outcome<number>[]> => {
    this.groups.push(items);
    const { isOnDisk } = this;
    await new Promise<void>((resolve) => (this.finish = resolve));
    sent();
    await isOnDisk;
    return items.map((result) => ({ result }));
  };

  async begun(count: number): Promise<void> {
    while (this.groups.length < count) await nextTurn();
  }

  /** Ends the commit under way. */
  end(): void {
    this.finish?.();
  }
}

const PATIENCE = 60_000;

describe('a group commit', () => {
  let commits: HeldCommits;
  let group: GroupCommit<number, number>;

  beforeEach(() => {
    commits = new HeldCommits();
    group = new GroupCommit(commits.commit, PATIENCE);
  });

  /** Waits for the commit of this number to begin and ends it. */
  const end = async (number: number) => {
    await commits.begun(number);
    commits.end();
  };
  const addAll = (...items: number[]) => items.map((item) => group.add(item));

  it('groups the items of one turn, and a lone item at once', async () => {
    const first = addAll(1, 2);
    await end(1);
    expect(await Promise.all(first)).toEqual([1, 2]);
    const lone = group.add(3);
    await end(2);
    expect(await lone).toBe(3);
    expect(commits.groups).toEqual([[1, 2], [3]]);
  });

  it('takes what further turns bring, until one brings nobody', async () => {
    const items = addAll(1, 2);
    for (const item of [3, 4]) {
      await nextTurn();
      items.push(group.add(item));
    }
    await end(1);
    expect(await Promise.all(items)).toEqual([1, 2, 3, 4]);
    expect(commits.groups).toEqual([[1, 2, 3, 4]]);
  });

  it('is closed also while every turn brings somebody', async () => {
    const items = addAll(1);
    while (commits.groups.length === 0 && items.length < 100) {
      items.push(group.add(items.length + 1));
      await nextTurn();
    }
    expect(commits.groups[0]?.length).toBeLessThan(50);
    const last = group.add(0);
    commits.end();
    await end(2);
    await Promise.all([...items, last]);
  });

  it('rejects every item of a failed commit, and continues', async () => {
    const failing = new GroupCommit<number, number>(async (items) => {
      if (items.includes(1)) throw new Error('no disk');
      return items.map((result) => ({ result }));
    }, PATIENCE);
    const outcomes = await Promise.allSettled([failing.add(1), failing.add(2)]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await failing.add(3)).toBe(3);
  });

  it('begins the next group when the one before is sent, and answers each when it is', async () => {
    const answered: number[] = [];
    let sync: (error?: Error) => void = () => undefined;
    commits.isOnDisk = new Promise((resolve, reject) => (sync = (error) => (error ? reject(error) : resolve())));
    const first = group.add(1).then(
      (result) => answered.push(result),
      (error: unknown) => error,
    );
    await end(1);
    commits.isOnDisk = Promise.resolve();
    const second = group.add(2).then((result) => answered.push(result));
    await end(2);
    await second;
    expect(answered).toEqual([2]);
    sync(new Error('lost'));
    expect(await first).toMatchObject({ message: 'lost' });
  });

  it('rejects waiting items at their deadlines, even during a commit, and gives the next commit the earliest', async () => {
    const deadlines: number[] = [];
    const impatient = new GroupCommit<number, number>((items, deadline, sent) => {
      deadlines.push(deadline);
      return commits.commit(items, deadline, sent);
    }, 50);
    const since = performance.now();
    const first = impatient.add(1);
    await commits.begun(1);
    const late = await Promise.allSettled([impatient.add(2), impatient.add(3)]);
    for (const outcome of late) expect(outcome).toMatchObject({ reason: { code: 'service_unavailable', outcome: 'unchanged' } });
    const next = impatient.add(4);
    commits.end();
    expect(await first).toBe(1);
    await end(2);
    expect(await next).toBe(4);
    expect(commits.groups).toEqual([[1], [4]]);
    expect(deadlines[0]).toBeGreaterThanOrEqual(since + 50);
    expect(deadlines[1]).toBeGreaterThan((deadlines[0] ?? 0) + 40);
  });
});
