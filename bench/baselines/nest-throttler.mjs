import 'reflect-metadata';
import { NestFactory, Reflector } from '@nestjs/core';
import { ThrottlerGuard, ThrottlerStorageService } from '@nestjs/throttler';
import { createLogger, HttpMetrics, LoadShedder, OverloadedError } from '../../dist/libs/api-kit/index.js';
import { MetricsRegistry } from '../../dist/libs/operations/index.js';
import { AppModule } from '../../dist/src/app.module.js';
import { AuthenticationHook } from '../../dist/src/auth/index.js';
import { loadConfiguration } from '../../dist/src/config/index.js';
import { configureApp, createAdapter, serviceAdapterOf } from '../../dist/src/configure-app.js';
import { cachedResponsesOptions } from '../../dist/src/read-model-revisions.js';

/**
 * The service itself, its own limits left out. `LIMITS=throttler` puts Nest's ThrottlerGuard with its storage in memory in
 * their place, `LIMITS=none` nothing, `LIMITS=nobody` not even authentication.
 */
const configuration = loadConfiguration(process.env);
const logger = createLogger({ level: configuration.logLevel });
const registry = new MetricsRegistry('adoption_');
const app = await NestFactory.create(
  AppModule.forRoot(configuration, { purpose: 'service', graphqlLogger: logger, metrics: registry }),
  createAdapter({
    bodyLimitBytes: configuration.bodyLimitBytes,
    trustProxy: configuration.trustProxy,
    logger,
    metrics: new HttpMetrics(registry),
  }),
  { bodyParser: false, logger: ['error'] },
);
const authentication = app.get(AuthenticationHook);
const shedder = new LoadShedder({ mostInProgress: () => 512, logger });
shedder.watch(serviceAdapterOf(app).getInstance());
const authenticate = (request) => {
  if (shedder.sheds(request)) throw new OverloadedError();
  return process.env.LIMITS === 'nobody' ? undefined : authentication.run(request);
};
// A guard does not run where a cached response is sent, so with one none is cached.
const cached = process.env.LIMITS === 'throttler' ? undefined : cachedResponsesOptions(app);
configureApp(app, { logger, corsOrigins: [], authenticate, cached });
if (process.env.LIMITS === 'throttler') {
  const windows = [
    { name: 'minute', ttl: 60_000, limit: 1e9 },
    { name: 'day', ttl: 86_400_000, limit: 1e9 },
  ];
  const guard = new ThrottlerGuard(windows, new ThrottlerStorageService(), app.get(Reflector));
  await guard.onModuleInit();
  app.useGlobalGuards(guard);
}
await app.listen(configuration.port, configuration.host);
