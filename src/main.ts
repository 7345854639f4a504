import 'reflect-metadata';
import { lookup } from 'node:dns/promises';
import { setFlagsFromString } from 'node:v8';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import {
  ApplicationError,
  formatOrigin,
  guardedOutput,
  cliCommand,
  ManagementServer,
  maskSecrets,
  StartupError,
  toListenError,
} from '#libs/observability';
import { readableBanner, logStartup } from './bootstrap/startup-banner.js';
import { FirstKeys } from './auth/index.js';
import { describeNearVariable, findNearVariables, loadEnvironmentFile, loadLogSettings, type Configuration } from './config/index.js';
import { composition, loadServiceConfiguration } from './bootstrap/composition.js';
import { createApp } from './bootstrap/create-app.js';
import { isHumanReadableLog, openErrorLog, openServiceLog } from './bootstrap/service-log.js';
import { Shutdown } from './bootstrap/shutdown.js';

/** Connections waiting to be accepted, as far as the system allows; TCP retries further ones after 1, 3 and 7 seconds. */
const CONNECTION_BACKLOG = 4_096;

// Objects of a request die with its response. If V8 allocates some among old objects, as it does in about half of all runs under load, each
// collection keeps what dead requests point to: up to twice the memory, and a third fewer requests.
setFlagsFromString('--no-allocation-site-pretenuring');

let environmentFailure: Error | undefined;
try {
  loadEnvironmentFile();
} catch (error) {
  environmentFailure = error as Error;
}
const errorLog = await openErrorLog(loadLogSettings(process.env));
try {
  if (environmentFailure) throw environmentFailure;
  await start(loadServiceConfiguration(process.env));
} catch (error) {
  const isOperators = error instanceof StartupError || error instanceof ApplicationError;
  const reason = error instanceof Error ? error.message : String(error);
  errorLog.fatal(isOperators ? {} : { err: error }, maskSecrets(`The service cannot start: ${reason}`));
  process.exit(1);
}

async function start(configuration: Configuration): Promise<void> {
  const logger = await openServiceLog(configuration);
  const shutdown = new Shutdown(configuration.shutdownGrace, logger, errorLog);
  for (const variable of findNearVariables(process.env, composition().settings)) {
    logger.warn({ variable: variable.name, nearest: variable.nearest }, describeNearVariable(variable));
  }
  const app = await createApp(configuration, { logger });
  const firstKeys = app.get(FirstKeys);
  const needsKey = await firstKeys.areMissing();
  const management = configuration.management && (await app.get(ManagementServer).listen(configuration.management));
  await listen(app, configuration);
  shutdown.serves(app);
  const isHumanReadable = isHumanReadableLog(configuration);
  if (isHumanReadable || configuration.logLevel !== 'silent') {
    const addresses = { origin: findOrigin(app), management, hasConsole: configuration.console !== undefined };
    // Last, when the start can no longer fail: the key is shown by the start that makes it, and never again.
    const startup = { ...addresses, demoKey: await firstKeys.ensureDemoKey() };
    if (isHumanReadable) guardedOutput(process.stdout).write(readableBanner(startup));
    else logStartup(logger, startup);
  }
  if (needsKey) {
    const command = cliCommand('keys create --name NAME --plan free');
    logger.warn({ command }, `There is no usable API key, so every request is rejected. Create one: "${command}".`);
  }
}

/** @throws StartupError that names PORT or HOST if they cannot be listened on */
async function listen(app: NestFastifyApplication, { host, port }: Configuration): Promise<void> {
  try {
    // Fastify would listen on each address of `localhost`, with a server of its own that has none of our listeners.
    await app.listen({ port, host: (await lookup(host)).address, backlog: CONNECTION_BACKLOG });
  } catch (error) {
    throw toListenError(error, { host, port });
  }
}

/** Returns the origin of the bound address; Nest's `getUrl` names a loopback address if all are bound. */
function findOrigin(app: NestFastifyApplication): string {
  const [bound] = app.getHttpAdapter().getInstance().addresses();
  if (typeof bound !== 'object') throw new TypeError('The service listens on an address.');
  return formatOrigin(bound);
}
