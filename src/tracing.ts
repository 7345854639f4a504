import type { CommandBus, ICommand } from '@nestjs/cqrs';
import { NO_TRACING, startTracing, type Tracing } from '#libs/tracing';
import type { Logger } from 'pino';
import { VERSION, type Configuration } from './config/index.js';

/** The traces that a configuration asks for. */
export async function tracingOf({ tracing: settings, deployment }: Configuration, logger: Logger): Promise<Tracing> {
  if (!settings) return NO_TRACING;
  const service = { name: 'animal-adoption-service', version: VERSION, deployment };
  return startTracing({ settings, service, warn: (message) => logger.warn(message) });
}

/** Has each command handled in a span of its own; what only time causes begins a trace with it. */
export function traceCommands(bus: CommandBus, tracing: Tracing): void {
  if (!tracing.isOn) return;
  const execute = bus.execute.bind(bus) as (command: ICommand, ...rest: unknown[]) => Promise<unknown>;
  const traced = (command: ICommand, ...rest: unknown[]): Promise<unknown> =>
    tracing.trace({ name: `command ${command.constructor.name}` }, () => execute(command, ...rest));
  Object.assign(bus, { execute: traced });
}
