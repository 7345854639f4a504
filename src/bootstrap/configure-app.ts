import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import {
  ServiceAdapter,
  createFastifyAdapter,
  ErrorFilter,
  type AdmissionPolicy,
  type ClientAddresses,
  type FastifyAdapterOptions,
} from '#libs/http';
import type { Logger } from 'pino';

const PREFIX = 'v1';
/** Requested all the time by proxies and orchestrators. */
const HEALTH = '/health';
const UNVERSIONED = ['docs', 'docs/{*path}', 'openapi.json', 'graphql', 'graphiql', 'graphiql/{*path}', 'schemas/:type/:version'];

export interface AppConfiguration extends Omit<AdmissionPolicy, 'getCheck'> {
  readonly logger: Logger;
  /** Puts the client's address into the log lines of 401, 403 and 429; none if undefined. */
  readonly addresses?: ClientAddresses | undefined;
}

/** Returns the adapter for `NestFactory.create`, which also needs `bodyParser: false`. */
export function createAdapter(
  options: Omit<FastifyAdapterOptions, 'protectedPrefixes' | 'jsonPrefixes' | 'exemptPrefixes'>,
): ServiceAdapter {
  return createFastifyAdapter({
    ...options,
    protectedPrefixes: [`/${PREFIX}`, '/graphql'],
    jsonPrefixes: [`/${PREFIX}`],
    exemptPrefixes: [HEALTH],
  });
}

/** Sets the paths, admission and errors of an application on the adapter of `createAdapter`. To be called before `init` or `listen`. */
export function configureApp(app: NestFastifyApplication, { logger, addresses, ...policy }: AppConfiguration): void {
  app.setGlobalPrefix(PREFIX, { exclude: UNVERSIONED });
  app.useGlobalFilters(new ErrorFilter(logger, addresses));
  getServiceAdapter(app).admit({ ...policy, getCheck: (check) => app.get(check, { strict: false }) });
}

/** Returns the adapter of an application. @throws TypeError if it is not one of `createAdapter`. */
export function getServiceAdapter(app: NestFastifyApplication): ServiceAdapter {
  const adapter = app.getHttpAdapter();
  if (adapter instanceof ServiceAdapter) return adapter;
  throw new TypeError('The application must be created on the adapter of createAdapter.');
}
