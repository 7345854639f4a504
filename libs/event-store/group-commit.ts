/** What became of one item of a group: it has its own result or its own error. */
export type Outcome<Result> = { readonly result: Result } | { readonly error: unknown };

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

// Bounds the time the write lock is held; 32 clients never reach it.
const LARGEST_GROUP = 128;

// Of the time that the commit before took. The callers it answered ask again within less, if they do so at once.
const PATIENCE_SHARE = 1 / 4;
const SHORTEST_PATIENCE_MILLISECONDS = 1;

/**
 * Gathers items that arrive together and hands them to one commit. A group closes with the event-loop turn in which its first item
 * came or in which the commit before it ended, so a lone item waits for nobody. After a commit of several that took its time, the
 * next group waits a little for as many: without that 32 callers of PostgreSQL became groups of 1 and 31 in turns.
 */
export class GroupCommit<Item, Result> {
  private waiting: Waiting<Item, Result>[] = [];
  private running = false;
  private expected = 0;
  private patience: NodeJS.Timeout | undefined;

  /** `commit` gives one outcome an item, in order. When it rejects, the whole group gets that error. */
  constructor(private readonly commit: (items: readonly Item[]) => Promise<readonly Outcome<Result>[]>) {}

  add(item: Item): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      this.schedule();
    });
  }

  private schedule(): void {
    if (this.running || this.waiting.length === 0 || this.waiting.length < this.expected) return;
    this.running = true;
    clearTimeout(this.patience);
    setImmediate(() => void this.commitGroup(this.waiting.splice(0, LARGEST_GROUP)));
  }

  private async commitGroup(group: readonly Waiting<Item, Result>[]): Promise<void> {
    const startedAt = performance.now();
    try {
      const outcomes = await this.commit(group.map(({ item }) => item));
      group.forEach((member, index) => settle(member, outcomes[index]));
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
    this.expectAsMany(group.length, (performance.now() - startedAt) * PATIENCE_SHARE);
    this.running = false;
    this.schedule();
  }

  private expectAsMany(items: number, milliseconds: number): void {
    if (items === 1 || milliseconds < SHORTEST_PATIENCE_MILLISECONDS) {
      this.expected = 0;
      return;
    }
    this.expected = items;
    this.patience = setTimeout(() => {
      this.expected = 0;
      this.schedule();
    }, milliseconds);
  }
}

function settle<Result>(member: Waiting<unknown, Result>, outcome: Outcome<Result> | undefined): void {
  if (outcome === undefined) member.reject(new Error('A group commit gave no outcome for an item.'));
  else if ('error' in outcome) member.reject(outcome.error);
  else member.resolve(outcome.result);
}
