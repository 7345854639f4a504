import { Injectable } from '@nestjs/common';
import { Clock } from '#libs/clock';
import { KeyFigures } from './key-figures.js';
import { ModuleFigures } from './module-figures.js';
import { ProjectionFigures } from './projection-figures.js';
import { ServiceFigures } from './service-figures.js';

const FRESH_FOR_MILLISECONDS = 900;

/** Everything that the page shows beside plots and log, at one moment. Made once a second at most, however many pages are open. */
@Injectable()
export class Snapshot {
  private latest: { readonly text: Promise<string>; readonly madeAt: number } | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly service: ServiceFigures,
    private readonly keys: KeyFigures,
    private readonly projections: ProjectionFigures,
    private readonly modules: ModuleFigures,
  ) {}

  /** As JSON, an object. Parts that cannot be read within a second are null. */
  json(): Promise<string> {
    const now = performance.now();
    if (!this.latest || now - this.latest.madeAt > FRESH_FOR_MILLISECONDS) this.latest = { text: this.make(), madeAt: now };
    return this.latest.text;
  }

  private async make(): Promise<string> {
    const [service, keys, projections, modules] = await Promise.all([
      this.service.read(),
      this.keys.read(),
      this.projections.read(),
      this.modules.read(),
    ]);
    return JSON.stringify({ now: this.clock.now().getTime(), ...service, keys, ...projections, modules });
  }
}
