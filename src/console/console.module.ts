import { Module, type DynamicModule } from '@nestjs/common';
import type { Deployment } from '../auth/index.js';
import { ConsolePages } from './console-pages.js';
import { LogPages } from './log-pages.js';
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
  readonly figures: FigureNames;
}

/** One page on the management port that shows operators how the service is. It reads, and changes nothing. */
@Module({})
export class ConsoleModule {
  static forRoot({ deployment, password, figures }: ConsoleModuleOptions): DynamicModule {
    return {
      module: ConsoleModule,
      providers: [
        { provide: Password, useValue: new Password(password) },
        { provide: SERVICE, useValue: thisService(deployment) },
        { provide: FIGURES, useValue: figures },
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
