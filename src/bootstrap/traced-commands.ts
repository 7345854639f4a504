import type { CommandBus, ICommand } from '@nestjs/cqrs';
import { currentSpan, inSpan, isTracing, startTracing } from '#libs/observability';
import type { Logger } from 'pino';
import { VERSION, type Configuration } from '../config/index.js';

/** Starts tracing if the configuration names a collector. */
export async function startConfiguredTracing({ tracing: settings, deployment }: Configuration, logger: Logger): Promise<void> {
  if (!settings) return;
  const service = { name: 'animal-adoption-service', version: VERSION, deployment };
  await startTracing({ settings, service, warn: (message) => logger.warn(message) });
}

/** Handles each command in a span of its own; a command that a timeout causes begins a trace. */
export function traceCommands(bus: CommandBus): void {
  if (!isTracing()) return;
  const execute = bus.execute.bind(bus) as (command: ICommand, ...rest: unknown[]) => Promise<unknown>;
  const traced = (command: ICommand, ...rest: unknown[]): Promise<unknown> =>
    inSpan(`command ${command.constructor.name}`, {}, currentSpan()?.spanContext(), () => execute(command, ...rest));
  Object.assign(bus, { execute: traced });
}
