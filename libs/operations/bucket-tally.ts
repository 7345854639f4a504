/** The observations of one series of a histogram. Plain numbers, so that one of a request costs some nanoseconds. */
export class BucketTally {
  sum = 0;
  count = 0;
  private readonly counts: number[];

  /** `bounds`: upper bounds, ascending. */
  constructor(private readonly bounds: readonly number[]) {
    this.counts = bounds.map(() => 0);
  }

  observe(value: number): void {
    this.sum += value;
    this.count += 1;
    const index = this.bounds.findIndex((bound) => value <= bound);
    if (index !== -1) this.counts[index] = (this.counts[index] ?? 0) + 1;
  }

  /** How many observations were at most each bound. */
  cumulative(): number[] {
    let total = 0;
    return this.counts.map((count) => (total += count));
  }
}
