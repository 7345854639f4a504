import { Module, type DynamicModule } from '@nestjs/common';
import { Clock } from '#libs/observability';
import { ConsolePages } from './console-pages.js';
import { KeyFigures } from './key-figures.js';
import { LogPages } from './log-pages.js';
import { PasswordGate, type PasswordGateOptions } from './password.js';
import { ProjectionFigures } from './projection-figures.js';
import { RecentSeconds } from './recent-seconds.js';
import { Snapshot, SNAPSHOT_OPTIONS, type SnapshotOptions } from './snapshot.js';

export type ConsoleModuleOptions = PasswordGateOptions & SnapshotOptions;

/** A page on the management port that shows operators the state of the service. It reads, and changes nothing. */
@Module({})
export class ConsoleModule {
  static forRoot(options: ConsoleModuleOptions): DynamicModule {
    return {
      module: ConsoleModule,
      providers: [
        { provide: PasswordGate, useFactory: (clock: Clock) => new PasswordGate(clock, options), inject: [Clock] },
        { provide: SNAPSHOT_OPTIONS, useValue: options satisfies SnapshotOptions },
        RecentSeconds,
        KeyFigures,
        ProjectionFigures,
        Snapshot,
        LogPages,
        ConsolePages,
      ],
    };
  }
}
