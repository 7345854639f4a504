import 'reflect-metadata';
import { setFlagsFromString } from 'node:v8';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DemoKey } from './auth/index.js';
import { ConfigurationError, loadConfiguration, loadEnvironmentFile, type Configuration } from './config/index.js';
import { createApp } from './create-app.js';
import { startManagement } from './operations/index.js';
import { shutDownOnSignal } from './shutdown.js';

/** Connections that wait to be taken up, as far as the system allows it; those beyond are tried again by TCP after 1, 3 and 7 seconds. */
const CONNECTION_BACKLOG = 4_096;

// What a request allocates is gone with its answer. Where V8 comes to place some of it among what is old, as it does in about half of all
// runs under load, each collection keeps what dead requests point to: up to twice the memory, and a third of the requests fewer.
setFlagsFromString('--no-allocation-site-pretenuring');

try {
  loadEnvironmentFile();
  await start(loadConfiguration(process.env));
} catch (error) {
  process.stderr.write(`${describe(error)}\n`);
  process.exit(1);
}

async function start(configuration: Configuration): Promise<void> {
  const app = await createApp(configuration);
  const management = configuration.management && (await startManagement(app, configuration.management));
  await app.listen({ port: configuration.port, host: configuration.host, backlog: CONNECTION_BACKLOG });
  shutDownOnSignal(app, configuration.shutdownGrace);
  // Behind all that a start can fail of: the key is shown by the start that makes it, and never again.
  const demoKey = await app.get(DemoKey).ensureDemoKey();
  await announce(app, { demoKey, management, hasConsole: configuration.console !== undefined });
}

/** Says where the service is and, on a first start in development, how to send a first request. */
async function announce(
  app: NestFastifyApplication,
  {
    demoKey,
    management,
    hasConsole,
  }: { readonly demoKey: string | undefined; readonly management: string | undefined; readonly hasConsole: boolean },
): Promise<void> {
  const origin = await app.getUrl();
  const lines = [`The animal adoption service listens on ${origin}/v1 (reference: ${origin}/docs).`];
  if (management !== undefined) lines.push(`Its metrics are at ${management}/metrics.`);
  if (management !== undefined && hasConsole) lines.push(`Its console is at ${management}/console.`);
  if (demoKey !== undefined) {
    lines.push(
      '',
      'This is the first start, so an API key named "demo" was made. It is shown only this once:',
      `  ${demoKey}`,
      'Add an animal:',
      `  curl -s ${origin}/v1/pets -H 'Authorization: Bearer ${demoKey}' -H 'Content-Type: application/json' -d '{"name":"Rex","categoryId":7,"status":"available"}'`,
      '',
    );
  }
  process.stdout.write(`${lines.join('\n')}\n`);
}

function describe(error: unknown): string {
  if (error instanceof ConfigurationError) return error.message;
  return `The service cannot start: ${error instanceof Error ? error.message : String(error)}`;
}
