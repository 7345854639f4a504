import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { MetricsRegistry } from '#libs/operations';
import { readMetric } from '../metric-values.js';

export const FIGURES = Symbol('the metrics that the console shows, by module');

/** The names of metrics by the module that brings them. */
export type FigureNames = ReadonlyMap<string, readonly string[]>;

/** What the modules count of themselves. */
@Injectable()
export class ModuleFigures implements OnApplicationBootstrap {
  constructor(
    @Inject(FIGURES) private readonly names: FigureNames,
    private readonly registry: MetricsRegistry,
  ) {}

  /** @throws Error that names a metric which no module has registered */
  async onApplicationBootstrap(): Promise<void> {
    await this.read();
  }

  async read(): Promise<object[]> {
    return Promise.all(
      [...this.names].map(async ([name, figures]) => ({ name, figures: await Promise.all(figures.map((each) => this.figure(each))) })),
    );
  }

  private async figure(name: string): Promise<object> {
    const { help, type, values } = await readMetric(this.registry, name);
    return { name, help, kind: type, values: values.map(({ labels, value }) => ({ labels, value })) };
  }
}
