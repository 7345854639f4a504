import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createLogger, NestLogger } from '#libs/api-kit';
import type { Clock } from '#libs/clock';
import { installReference } from '#libs/openapi';
import { AppModule } from './app.module.js';
import { AuthenticationStep } from './auth/index.js';
import type { Configuration } from './config/index.js';
import { configureApp, createAdapter } from './configure-app.js';
import { installGraphiql } from './graphql/index.js';
import { RateLimitStep } from './rate-limiting/index.js';

/**
 * The service with everything in place, up to date and ready to listen.
 * @throws what stands in the way of a start, such as a database that cannot be opened
 */
export async function createApp(configuration: Configuration, options: { readonly clock?: Clock } = {}): Promise<NestFastifyApplication> {
  const { bodyLimitBytes, trustProxy, corsOrigins, baseUrls, logLevel } = configuration;
  const logger = createLogger({ level: logLevel });
  const app = await NestFactory.create<NestFastifyApplication>(
    AppModule.forRoot(configuration, { purpose: 'service', graphqlLogger: logger, ...options }),
    createAdapter({ bodyLimitBytes, trustProxy, logger }),
    { bodyParser: false, abortOnError: false, logger: new NestLogger(logger) },
  );
  const authentication = app.get(AuthenticationStep);
  const rateLimit = app.get(RateLimitStep);
  configureApp(app, {
    logger,
    corsOrigins,
    authenticate: rateLimit.around((request) => authentication.run(request)),
    describePreflight: rateLimit.describe,
    countUnreadable: rateLimit.countUnreadable,
  });
  installReference(app, baseUrls);
  if (configuration.deployment !== 'production') installGraphiql(app);
  return app.init();
}
