import { Module, type DynamicModule } from '@nestjs/common';
import { domainModule } from '#libs/http';
import { Clock } from '#libs/observability';
import { ConsoleKeys } from './console-keys.js';
import { ConsolePages } from './console-pages.js';
import { PasswordGate, type PasswordGateOptions } from './password.js';
import { ProjectionFigures } from './projection-figures.js';
import { RecentSeconds } from './recent-seconds.js';
import { Snapshot, SNAPSHOT_OPTIONS, type SnapshotOptions } from './snapshot.js';

type ConsoleModuleOptions = PasswordGateOptions & SnapshotOptions;

interface ConsoleSettings extends Omit<ConsoleModuleOptions, 'password'> {
  readonly purpose: 'service' | 'cli';
  readonly console: { readonly password: string | undefined } | undefined;
}

@Module({})
class ConsoleModule {
  static forRoot(options: ConsoleModuleOptions): DynamicModule {
    return {
      module: ConsoleModule,
      providers: [
        { provide: PasswordGate, useFactory: (clock: Clock) => new PasswordGate(clock, options), inject: [Clock] },
        { provide: SNAPSHOT_OPTIONS, useValue: options },
        ...[RecentSeconds, ProjectionFigures, ConsoleKeys, Snapshot, ConsolePages],
      ],
    };
  }
}

/** A page on the management port that shows operators the state of the service. It reads, and changes nothing. */
export const operatorsConsole = domainModule<ConsoleSettings>({
  name: 'console',
  configuredModule: ({ purpose, console, ...options }) =>
    purpose === 'service' && console ? ConsoleModule.forRoot({ ...options, ...console }) : undefined,
});
