import { domainModule } from '#libs/http';
import { ConsoleModule, type ConsoleModuleOptions } from './console.module.js';

interface ConsoleSettings extends Omit<ConsoleModuleOptions, 'password'> {
  readonly purpose: 'service' | 'cli';
  readonly console: { readonly password: string | undefined } | undefined;
}

/** The operators' page. */
export const operatorsConsole = domainModule<ConsoleSettings>({
  name: 'console',
  configuredModule: ({ purpose, console, ...options }) =>
    purpose === 'service' && console ? ConsoleModule.forRoot({ ...options, ...console }) : undefined,
});
