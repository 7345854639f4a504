import { Module, type DynamicModule } from '@nestjs/common';
import { Clock } from '#libs/clock';
import type { Deployment } from '../auth/index.js';
import { ConsolePages } from './console-pages.js';
import { LogPages } from './log-pages.js';
import { PasswordGuesses } from './password-guesses.js';
import { Password } from './password.js';
import { RecentSeconds } from './seconds/recent-seconds.js';
import { KeyFigures } from './snapshot/key-figures.js';
import { FIGURES, ModuleFigures, type FigureNames } from './snapshot/module-figures.js';
import { ProjectionFigures } from './snapshot/projection-figures.js';
import { ServiceFigures, SERVICE, thisService } from './snapshot/service-figures.js';
import { Snapshot } from './snapshot/snapshot.js';

export interface ConsoleModuleOptions {
  readonly deployment: Deployment;
  /** What the page asks for; undefined: nothing. */
  readonly password: string | undefined;
  /** Whether the log tells from which address wrong passwords came. */
  readonly logsClientAddress: boolean;
  readonly consoleMetrics: FigureNames;
}

/** One page on the management port that shows operators how the service is. It reads, and changes nothing. */
@Module({})
export class ConsoleModule {
  static forRoot({ deployment, password, logsClientAddress, consoleMetrics }: ConsoleModuleOptions): DynamicModule {
    return {
      module: ConsoleModule,
      providers: [
        { provide: Password, useValue: new Password(password) },
        { provide: PasswordGuesses, useFactory: (clock: Clock) => new PasswordGuesses(clock, logsClientAddress), inject: [Clock] },
        { provide: SERVICE, useValue: thisService(deployment) },
        { provide: FIGURES, useValue: consoleMetrics },
        RecentSeconds,
        ServiceFigures,
        KeyFigures,
        ProjectionFigures,
        ModuleFigures,
        Snapshot,
        LogPages,
        ConsolePages,
      ],
    };
  }
}
