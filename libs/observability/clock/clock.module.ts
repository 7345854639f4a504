import { Module, type DynamicModule, type FactoryProvider, type ValueProvider } from '@nestjs/common';
import { Clock } from './clock.js';
import { systemTimers, Timers } from './timers.js';

type ClockSource = Pick<ValueProvider<Clock>, 'useValue'> | Pick<FactoryProvider<Clock>, 'inject' | 'useFactory'>;

/** Provides all modules with the clock and the timers. Apart from these, which help on the command line names without loading Nest. */
@Module({})
export class ClockModule {
  static forRoot(source: ClockSource): DynamicModule {
    const timers = { provide: Timers, useValue: systemTimers };
    return { module: ClockModule, global: true, providers: [{ provide: Clock, ...source }, timers], exports: [Clock, Timers] };
  }
}
