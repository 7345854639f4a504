import 'reflect-metadata';
import { NestFactory, Reflector } from '@nestjs/core';
import { ThrottlerGuard, ThrottlerStorageService } from '@nestjs/throttler';
import { createLogger } from '../../dist/libs/api-kit/index.js';
import { AppModule } from '../../dist/src/app.module.js';
import { AuthenticationHook } from '../../dist/src/auth/index.js';
import { loadConfiguration } from '../../dist/src/config/index.js';
import { configureApp, createAdapter } from '../../dist/src/configure-app.js';
import { cachedResponsesOptions } from '../../dist/src/read-model-revisions.js';

/**
 * The service itself, its own limits left out. `LIMITS=throttler` puts Nest's ThrottlerGuard with its storage in memory in
 * their place, `LIMITS=none` nothing, `LIMITS=nobody` not even authentication.
 */
const configuration = loadConfiguration(process.env);
const logger = createLogger({ level: configuration.logLevel });
const app = await NestFactory.create(
  AppModule.forRoot(configuration, { purpose: 'service', graphqlLogger: logger }),
  createAdapter({ bodyLimitBytes: configuration.bodyLimitBytes, trustProxy: configuration.trustProxy, logger }),
  { bodyParser: false, logger: ['error'] },
);
const authentication = app.get(AuthenticationHook);
const authenticate = process.env.LIMITS === 'nobody' ? () => undefined : (request) => authentication.run(request);
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
