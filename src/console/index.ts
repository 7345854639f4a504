import { Module } from '@nestjs/common';
import { domainModule } from '#libs/http';
import { ConsoleKeys } from './console-keys.js';
import { ConsolePages } from './console-pages.js';
import { CONSOLE_OPTIONS, PasswordGate, type ConsoleOptions } from './password.js';
import { RecentSeconds } from './recent-seconds.js';
import { Snapshot } from './snapshot.js';

interface ConsoleSettings extends Omit<ConsoleOptions, 'password'> {
  readonly purpose: 'service' | 'cli';
  readonly console: Pick<ConsoleOptions, 'password'> | undefined;
}

@Module({ providers: [PasswordGate, RecentSeconds, ConsoleKeys, Snapshot, ConsolePages] })
class ConsoleModule {}

/** A page on the management port that shows operators the state of the service. It reads, and changes nothing. */
export const operatorsConsole = domainModule<ConsoleSettings>({
  name: 'console',
  configuredModule: ({ purpose, console, ...options }) =>
    purpose === 'service' && console
      ? { module: ConsoleModule, providers: [{ provide: CONSOLE_OPTIONS, useValue: { ...options, ...console } }] }
      : undefined,
});
