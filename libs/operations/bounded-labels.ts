/** What stands for all values beyond the first ones. */
export const OTHER = 'other';

/** Keeps a label at a bounded number of values: the first ones that come are kept, all later ones are `other`. */
export class BoundedLabels {
  private readonly known = new Set<string>();

  constructor(private readonly most: number) {}

  of(value: string): string {
    if (this.known.has(value)) return value;
    if (this.known.size >= this.most) return OTHER;
    this.known.add(value);
    return value;
  }
}
