import { Module, type ModuleMetadata, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { AdmissionCheck } from '../routes/route-metadata.js';
import { createFastifyAdapter } from '../server/server.js';
import type { AdmissionPolicy, ServiceAdapter } from '../server/service-adapter.js';
import { createLogger } from '#libs/observability';
import { ErrorFilter } from '../errors/error.filter.js';

export interface ControllersApp {
  readonly app: NestFastifyApplication;
  readonly adapter: ServiceAdapter;
}

/** Creates an application of these controllers on the adapter of the service, without a log. Everyone is admitted unless `admission` says otherwise. */
export async function createControllersApp(metadata: ModuleMetadata, admission: Partial<AdmissionPolicy> = {}): Promise<ControllersApp> {
  @Module(metadata)
  class ControllersModule {}
  const logger = createLogger({ level: 'silent' });
  const prefixes = { protectedPrefixes: ['/v1'], jsonPrefixes: ['/v1'] };
  const adapter = createFastifyAdapter({ bodyLimitBytes: 1_000, trustProxy: false, logger, ...prefixes });
  const options = { bodyParser: false, logger: false, abortOnError: false } as const;
  const app = await NestFactory.create<NestFastifyApplication>(ControllersModule, adapter, options);
  app.useGlobalFilters(new ErrorFilter(logger));
  const everyone = { authenticate: () => undefined, getCheck: (check: Type<AdmissionCheck>) => app.get(check), now: () => new Date() };
  adapter.admit({ corsOrigins: [], ...everyone, ...admission });
  return { app, adapter };
}
