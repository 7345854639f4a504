import { NestFactory } from '@nestjs/core';
import { CommandBus, type ICommand } from '@nestjs/cqrs';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Logger } from 'pino';
import {
  createFastifyAdapter,
  EnhancedHandlers,
  ErrorFilter,
  HttpMetrics,
  installFiles,
  installPages,
  PublicEventCatalog,
  serveReference,
  shedLoad,
  watchConnectionRush,
} from '#libs/http';
import { Clock, currentSpan, inSpan, isTracing, MetricsRegistry, NestLogger, startTracing } from '#libs/observability';
import { claimDatabase, Database, type ServiceClaim } from '#libs/database';
import { EventRegistry, assertLogIntact, ReadModels } from '#libs/event-sourcing';
import { apiDescription } from './api-description.js';
import { AppModule } from '../app.module.js';
import { composition, developmentSource } from './composition.js';
import { AuthenticationHook } from '../auth/index.js';
import { VERSION, type Configuration } from '../config/index.js';
import { installGraphiql } from '../graphql/index.js';
import { installHealth } from '../operations/index.js';
import { CLIENT_ADDRESSES, RateLimitHook } from '../rate-limiting/index.js';
import { openServiceLog } from './service-log.js';

const PREFIX = 'v1';
const UNVERSIONED = ['docs', 'docs/{*path}', 'openapi.json', 'graphql', 'graphiql', 'graphiql/{*path}', 'schemas/:type/:version'];
/** See docs/adr/0018-shed-load-by-requests-in-progress.md. */
const MAX_IN_PROGRESS = { rest: 512, graphql: 128 };

export interface CreateAppOptions {
  readonly clock?: Clock;
  /** Default: the log of the configuration. */
  readonly logger?: Logger;
  /** Requests of one operation in progress before further ones are shed. Default: 512, for GraphQL 128. */
  readonly mostInProgress?: number;
  /** Whether background work runs by itself. Default: true; otherwise `TimeoutSchedule.run` and `FollowerProcess.run` do it. */
  readonly polls?: boolean;
}

/**
 * Creates the service with a migrated database, ready to listen.
 * @throws startup failures, for example a database that cannot be opened
 */
export async function createApp(configuration: Configuration, options: CreateAppOptions = {}): Promise<NestFastifyApplication> {
  const claim = await claimDatabase(configuration.database, composition().migrations, {
    creates: configuration.deployment === 'development',
  });
  try {
    return await createOn(claim, configuration, options);
  } catch (error) {
    claim.release();
    throw error;
  }
}

async function createOn(
  claim: ServiceClaim,
  configuration: Configuration,
  { mostInProgress, logger: givenLogger, ...options }: CreateAppOptions,
): Promise<NestFastifyApplication> {
  const { bodyLimitBytes, trustProxy, corsOrigins, deployment, keepAlive, tracing } = configuration;
  const logger = givenLogger ?? (await openServiceLog(configuration));
  const metrics = new MetricsRegistry('adoption_');
  const addresses = configuration.logsClientAddress ? CLIENT_ADDRESSES : undefined;
  if (tracing) {
    const service = { name: 'animal-adoption-service', version: VERSION, deployment };
    await startTracing({ settings: tracing, service, warn: (message) => logger.warn(message) });
  }
  const adapter = createFastifyAdapter({
    ...{ bodyLimitBytes, trustProxy, logger, addresses, metrics: new HttpMetrics(metrics) },
    // To which Node adds a second.
    keepAliveMilliseconds: keepAlive - 1_000,
    protectedPrefixes: [`/${PREFIX}`, '/graphql'],
    jsonPrefixes: [`/${PREFIX}`],
    // Requested all the time by proxies and orchestrators.
    exemptPrefixes: ['/health'],
  });
  const app = await NestFactory.create<NestFastifyApplication>(
    AppModule.forRoot(configuration, { purpose: 'service', claim, graphqlLogger: logger, metrics, ...options }),
    adapter,
    { bodyParser: false, abortOnError: false, logger: new NestLogger(logger) },
  );
  if (isTracing()) traceCommands(app.get(CommandBus));
  // Before projections are built from it.
  await assertLogIntact(app.get(Database), app.get(EventRegistry));
  const clock = app.get(Clock);
  const rateLimit = app.get(RateLimitHook);
  const mostOf = (template: string | undefined) => mostInProgress ?? MAX_IN_PROGRESS[template === '/graphql' ? 'graphql' : 'rest'];
  const shedder = { mostInProgress: mostOf, logger };
  app.setGlobalPrefix(PREFIX, { exclude: UNVERSIONED });
  app.useGlobalFilters(new ErrorFilter(logger, addresses));
  adapter.admit({
    corsOrigins,
    authenticate: rateLimit.around(shedLoad(shedder, app.get(AuthenticationHook), watchConnectionRush(app.getHttpServer()))),
    countOpen: rateLimit.countOpen,
    countUnreadable: rateLimit.countUnreadable,
    cached: { readModels: app.get(ReadModels), enhanced: app.get(EnhancedHandlers) },
    getCheck: (check) => app.get(check, { strict: false }),
    now: () => clock.now(),
  });
  const description = apiDescription(configuration);
  // In production pages are only read.
  const sendsRequests = deployment !== 'production';
  await installFiles(app);
  serveReference(app, description, () => adapter.routes, { sendsRequests });
  installHealth(app);
  if (sendsRequests) installGraphiql(app);
  installPages(app, {
    title: description.document.info.title,
    links: { docs: '/docs', openapi: '/openapi.json', health: '/health/ready', ...(sendsRequests && { graphiql: '/graphiql' }) },
  });
  if (deployment === 'development') nameBoundAddress(app);
  await app.init();
  return app;
}

/** Makes events name the bound address as their source: in development there is no public one. */
function nameBoundAddress(app: NestFastifyApplication): void {
  const server = app.getHttpAdapter().getInstance();
  server.addHook('onListen', (done) => {
    const [bound] = server.addresses();
    if (typeof bound === 'object') app.get(PublicEventCatalog).source = developmentSource(bound);
    done();
  });
}

/** Handles each command in a span of its own; a command that a timeout causes begins a trace. */
function traceCommands(bus: CommandBus): void {
  const execute = bus.execute.bind(bus) as (command: ICommand, ...rest: unknown[]) => Promise<unknown>;
  const traced = (command: ICommand, ...rest: unknown[]): Promise<unknown> =>
    inSpan(`command ${command.constructor.name}`, {}, currentSpan()?.spanContext(), () => execute(command, ...rest));
  Object.assign(bus, { execute: traced });
}
