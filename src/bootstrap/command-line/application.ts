import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { AppModule } from '../../app.module.js';
import { ServiceAccess } from '../../operations/index.js';
import { composition } from '../composition.js';

export { CommandBus, QueryBus } from '@nestjs/cqrs';
export { stringifyJson } from '#libs/http';
export { toErrorLine } from '../../operations/index.js';
export { composition } from '../composition.js';

/** Gives commands access to the configuration and the application, which stays silent. */
export function openServiceAccess(environment: Readonly<Record<string, string | undefined>>): ServiceAccess {
  return new ServiceAccess(environment, composition(), (configuration) => {
    const module = AppModule.forRoot(configuration, { purpose: 'cli' });
    return NestFactory.createApplicationContext(module, { logger: false, abortOnError: false });
  });
}
