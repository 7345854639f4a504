import { Injectable } from '@nestjs/common';
import { HealthCatalog } from './health-catalog.js';
import type { PartState } from './health-part.js';
import { WatchedPart } from './watched-part.js';

/** Whether the service may get requests, and how each of its parts is. */
export interface HealthReport {
  readonly status: 'ready' | 'unavailable';
  /** The service is ending and finishes what it has begun. */
  readonly draining: boolean;
  readonly parts: Readonly<Record<string, PartState>>;
}

// Probes of many watchers cost the database no more than two looks in a second.
const FRESH_FOR_MILLISECONDS = 500;

/** Tells whether the service is ready. Answers within a second whatever its parts do. */
@Injectable()
export class Health {
  private watched: readonly WatchedPart[] | undefined;
  private latest: { readonly states: Promise<Readonly<Record<string, PartState>>>; readonly askedAt: number } | undefined;
  private isDraining = false;

  constructor(private readonly catalog: HealthCatalog) {}

  /** From now on the service is not ready, for good. */
  drain(): void {
    this.isDraining = true;
  }

  /** Ready is who has no part that is unavailable and is not draining. Callers of the same half second share one look at the parts. */
  async report(): Promise<HealthReport> {
    const parts = await this.states();
    const isReady = !this.isDraining && Object.values(parts).every(({ state }) => state !== 'unavailable');
    return { status: isReady ? 'ready' : 'unavailable', draining: this.isDraining, parts };
  }

  private states(): Promise<Readonly<Record<string, PartState>>> {
    const now = performance.now();
    if (!this.latest || now - this.latest.askedAt > FRESH_FOR_MILLISECONDS) this.latest = { states: this.look(), askedAt: now };
    return this.latest.states;
  }

  private async look(): Promise<Readonly<Record<string, PartState>>> {
    this.watched ??= this.catalog.all().map((part) => new WatchedPart(part));
    return Object.fromEntries(await Promise.all(this.watched.map(async (part) => [part.name, await part.state()] as const)));
  }
}
