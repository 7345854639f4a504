import type { Tracing } from './tracing.js';
import type { TracingOptions } from './tracing-settings.js';

/** Has what the service does traced, and sent over OTLP. Only then OpenTelemetry's SDK is loaded. */
export async function startTracing(options: TracingOptions): Promise<Tracing> {
  const { startOpenTelemetry } = await import('./start-open-telemetry.js');
  return startOpenTelemetry(options);
}
