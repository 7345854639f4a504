import { Injectable } from '@nestjs/common';
import type { HealthPart } from './health-part.js';

/** The parts of all modules whose state decides whether the service may get requests. */
@Injectable()
export class HealthCatalog {
  private readonly parts = new Map<string, HealthPart>();

  /** @throws Error when the name is taken. */
  register(part: HealthPart): void {
    if (this.parts.has(part.name)) throw new Error(`Health part ${part.name} is registered twice.`);
    this.parts.set(part.name, part);
  }

  all(): readonly HealthPart[] {
    return [...this.parts.values()];
  }
}
