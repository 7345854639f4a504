import { Module, type DynamicModule, type FactoryProvider, type ValueProvider } from '@nestjs/common';
import { Clock } from './clock.js';

type ClockSource = Pick<ValueProvider<Clock>, 'useValue'> | Pick<FactoryProvider<Clock>, 'inject' | 'useFactory'>;

/** Provides all modules with the clock. Apart from `Clock`, which help on the command line names without loading Nest. */
@Module({})
export class ClockModule {
  static forRoot(source: ClockSource): DynamicModule {
    return { module: ClockModule, global: true, providers: [{ provide: Clock, ...source }], exports: [Clock] };
  }
}
