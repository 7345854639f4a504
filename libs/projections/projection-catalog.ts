import type { Projection } from './projection.js';

/** The projections of all modules. */
export class ProjectionCatalog {
  private readonly projections = new Map<string, Projection>();

  /** @throws Error when the name is taken. */
  register(projection: Projection): void {
    if (this.projections.has(projection.name)) throw new Error(`Projection ${projection.name} is registered twice.`);
    this.projections.set(projection.name, projection);
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
