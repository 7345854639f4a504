import type { Projection } from './projection.js';

/** The projections of all modules. */
export class ProjectionCatalog {
  private readonly projections: ReadonlyMap<string, Projection>;

  /** @throws Error when two have the same name. */
  constructor(projections: readonly Projection[]) {
    this.projections = new Map(projections.map((projection) => [projection.name, projection]));
    if (this.projections.size < projections.length) throw new Error('Two projections have the same name.');
  }

  all(): readonly Projection[] {
    return [...this.projections.values()];
  }

  /** Whether this build works with exactly that version. */
  uses({ name, version }: Pick<Projection, 'name' | 'version'>): boolean {
    return this.projections.get(name)?.version === version;
  }

  find(name: string): Projection | undefined {
    return this.projections.get(name);
  }
}
