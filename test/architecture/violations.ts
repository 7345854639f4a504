import { compositionFolders, domainTypes, libraryRows } from './layout.js';

const [[low = ''] = [], [high = ''] = []] = libraryRows;
const [composition = '', other = ''] = compositionFolders;

/**
 * A tree in which lines break rules: those that end in the comment `breaks RULE`. Line 1 has it where the name of the file is at fault.
 * Lines without it look alike and are right.
 */
export const violations: Readonly<Record<string, string>> = {
  // Names.
  [`libs/${high}/settable_clock.ts`]: `export const clock = 1; // breaks file-names`,
  [`libs/${high}/clock-manager.ts`]: `export const clock = 1; // breaks telling-names`,
  [`libs/${high}/helpers.ts`]: `export const clock = 1; // breaks telling-names`,
  'libs/loose.ts': `export const loose = true; // breaks known-libraries`,
  'libs/queue/index.ts': `export const queue = true; // breaks known-libraries`,
  'src/pets/commands/AddPet.ts': `export const command = 1; // breaks file-names`,
  'src/pets/commands/add-pet.command.ts': `export const command = 1;`,
  'src/pets/commands/pet.events.ts': `export const event = 1; // breaks file-names`,
  'src/pets/common/pet.ts': `export const name = 1; // breaks telling-names`,
  'src/pets/domain/pet.events.smoke.spec.ts': `export const tested = 1; // breaks file-names`,
  'src/pets/domain/pet.events.unit.spec.ts': `export const tested = 1;`,
  'src/pets/domain/pet.unit.spec.ts': `export const tested = 1;`,
  'src/pets/queries/get-pet.command.ts': `export const query = 1; // breaks file-names`,
  'src/pets/queries/get-pet.query.ts': `export const query = 1;`,
  'src/pets/readModel/pet.reader.ts': `export const entity = 1; // breaks file-names`,
  'src/pets/read-model/pets.table.ts': `export const table = 1; // breaks file-names`,
  'src/pets/rest/pet-utils.ts': `export const name = 1; // breaks telling-names`,

  // Libraries.
  [`libs/${low}/index.ts`]: `export { hour } from './time/hour.js';`,
  [`libs/${low}/upward.ts`]: `export { high } from '#libs/${high}'; // breaks library-direction
export type { High } from '#libs/${high}'; // breaks library-direction
export const later = () => import('#libs/${high}'); // breaks library-direction
export type { Harness } from '../../test/harness.js'; // breaks no-test-code`,
  [`libs/${low}/low.unit.spec.ts`]: `import { high } from '#libs/${high}';
import fc from 'fast-check';`,
  [`libs/${low}/source.ts`]: `import { species } from '../../src/pets/index.js'; // breaks libraries-without-source
import type { Pet } from '../../src/pets/index.js'; // breaks libraries-without-source
export * from '../../src/pets/index.js'; // breaks libraries-without-source
export const later = () => import('../../src/main.js'); // breaks libraries-without-source
export type Species = import('../../src/pets/index.js').Pet; // breaks libraries-without-source`,
  [`libs/${high}/index.ts`]: `export { hour } from '#libs/${low}';
export type { Hour } from '../${low}/time/hour.js'; // breaks libraries-through-index`,
  [`libs/${high}/within.ts`]: `import { high } from '#libs/${high}'; // breaks libraries-through-index`,
  'libs/testing/index.ts': `import { jest } from '@jest/globals';`,
  'src/main.ts': `import { low } from '#libs/${low}';
import * as direct from '#libs/${low}/time/hour.js'; // breaks libraries-through-index
export { low as again } from '../libs/${low}/index.js'; // breaks libraries-through-index
import { harness } from '../test/harness.js'; // breaks no-test-code
import { given } from '#libs/testing'; // breaks no-test-code
import fc from 'fast-check'; // breaks no-test-code
import { cases } from './main.unit.spec.js'; // breaks no-test-code
export const later = () => import('../test/harness.js'); // breaks no-test-code
import { createClient } from '@adoption/client'; // breaks packages-alone
import { client } from '../packages/client/src/client.js'; // breaks packages-alone
import { loadConfiguration } from './configuration.js';`,
  'src/main.unit.spec.ts': `import { harness } from '../test/harness.js';
import { given } from '#libs/testing';`,
  'packages/client/src/index.ts': `import { low } from '#libs/${low}'; // breaks packages-alone
import { loadConfiguration } from '../../../src/configuration.js'; // breaks packages-alone
import { request } from 'undici'; // breaks packages-alone
import { readFile } from 'node:fs'; // breaks packages-alone
import { client } from './client.js';`,

  // Cycles.
  [`libs/${low}/offset.ts`]: `import { minute } from './time/minute.js'; // breaks no-folder-cycles`,
  [`libs/${low}/time/hour.ts`]: `import { zone } from '../zones/zone.js'; // breaks no-folder-cycles
import { minute } from './minute.js';`,
  [`libs/${low}/time/minute.ts`]: `export const minute = 60;`,
  [`libs/${low}/zones/zone.ts`]: `import { offset } from '../offset.js'; // breaks no-folder-cycles`,
  'src/config/hour.ts': `import { minute } from './minute.js'; // breaks no-file-cycles`,
  'src/config/minute.ts': `import { second } from './second.js'; // breaks no-file-cycles
import { port } from './port.js';`,
  'src/config/second.ts': `export type Hour = import('./hour.js').Hour; // breaks no-file-cycles`,
  'src/config/mirror.ts': `export * from './mirror.js'; // breaks no-file-cycles`,

  // The index of a folder, and composition folders with and without one.
  'src/config/index.ts': `export { port } from './port.js';`,
  'src/app.module.ts': `import { scope } from './auth/index.js';
import { scope as direct } from './auth/domain/scope.js'; // breaks source-through-index
import { port } from './config/port.js'; // breaks source-through-index
import { schema } from './${composition}/schema.js'; // breaks source-through-index
import { start } from './${other}/start.js';
export { registerKeys } from './auth/cli/register-keys.js';`,
  [`src/${composition}/index.ts`]: `export { schema } from './schema.js';`,
  [`src/${composition}/${composition}.module.ts`]: `import { configuration } from '../config/index.js';
import { pets } from '../pets/index.js';
import { registerKeys } from '../auth/cli/register-keys.js';
import { start } from '../${other}/start.js'; // breaks source-through-index`,
  [`src/${other}/start.ts`]: `import { port } from '../config/index.js';
import { port as direct } from '../config/port.js'; // breaks source-through-index
import { schema } from '../${composition}/index.js';
export { registerKeys } from '../auth/cli/register-keys.js';`,
  'src/orders/cli/register-orders.ts': `import { registerKeys } from '../../auth/cli/register-keys.js';`,
  'src/orders/orders.unit.spec.ts': `import { start } from '../${other}/start.js';
import { AppModule } from '../app.module.js';`,
  'src/shelters/shelters.ts': `import type { scope } from '../auth/domain/scope.js'; // breaks source-through-index
export * from '../auth/domain/index.js'; // breaks source-through-index
export const later = () => import('../auth/domain/scope.js'); // breaks source-through-index
import { registerKeys } from '../auth/cli/register-keys.js'; // breaks source-through-index`,

  // Modules.
  'src/auth/auth.module.ts': `export class AuthModule {}`,
  'src/auth/index.ts': `export const scope = 'pets';`,
  'src/invoices/index.ts': `export const invoices = [];`,
  'src/invoices/invoices.module.ts': `import { payments } from '../payments/index.js'; // breaks module-dependencies`,
  'src/orders/index.ts': `export const orders = [];`,
  'src/orders/orders.module.ts': `export { scope } from '../auth/index.js';
export { invoices } from '../invoices/index.js'; // breaks module-dependencies`,
  'src/payments/index.ts': `export const payments = [];`,
  'src/payments/payments.module.ts': `export type { orders } from '../orders/index.js'; // breaks module-dependencies`,
  'src/pets/index.ts': `export const pets = [];`,
  'src/pets/pets.module.ts': `import { scope } from '../auth/index.js';
import { limited } from '../rate-limiting/index.js'; // breaks module-dependencies
import { configuration } from '../config/index.js'; // breaks module-dependencies
import { AppModule } from '../app.module.js'; // breaks module-dependencies
import { schema } from '../${composition}/index.js'; // breaks module-dependencies
import { start } from '../${other}/start.js'; // breaks module-dependencies, source-through-index`,
  'src/rate-limiting/index.ts': `export const limited = true;`,
  'src/rate-limiting/rate-limiting.module.ts': `import { scope } from '../auth/index.js';
export const later = () => import('../pets/index.js'); // breaks module-dependencies`,

  // Layers of a module.
  'src/pets/domain/pet.decider.ts': `import { ApplicationError } from '#libs/observability';
import type { Decider } from '${domainTypes}';
import { petAdded } from './pet.events.js';
import { executeDecider, type DomainEvent } from '${domainTypes}'; // breaks pure-domain
import type { High } from '#libs/${high}'; // breaks pure-domain
import { Injectable } from '@nestjs/common'; // breaks pure-domain
import { Entity } from 'typeorm'; // breaks pure-domain
import type { ValidationOptions } from 'class-validator'; // breaks pure-domain
import { scope } from '../../auth/index.js'; // breaks pure-domain
import type { Scope } from '../../auth/index.js';
import { PetEntity } from '../read-model/pet.reader.js'; // breaks pure-domain
import { hash } from 'node:crypto';
import { randomUUID } from 'node:crypto'; // breaks pure-domain
import * as zlib from 'node:zlib'; // breaks pure-domain
import { readFileSync } from 'node:fs'; // breaks pure-domain
export const later = () => import('rxjs'); // breaks pure-domain`,
  'src/pets/domain/pet.decider.unit.spec.ts': `import { given } from '#libs/testing';`,
  'src/auth/cli/keys.ts': `import { EventStore } from '${domainTypes}'; // breaks transport-through-buses
import { executeDecider, type DomainEvent } from '${domainTypes}'; // breaks transport-through-buses
import { ProjectionRebuilder } from '#libs/${high}'; // breaks transport-through-buses
import type { EventStore as Stored } from '${domainTypes}';
import { PublicEvents } from '${domainTypes}';
import { KeyRepository } from '../keys.js'; // breaks transport-through-buses
import type { KeyRepository as Keys } from '../keys.js'; // breaks transport-through-buses`,
  'src/pets/graphql/pets.resolver.ts': `export const later = () => import('#libs/database'); // breaks transport-through-buses
export type { PetEntity } from '../read-model/pet.reader.js'; // breaks transport-through-buses`,
  'src/pets/read-model/pets.projection.ts': `import { sql } from '#libs/database';
import { EventRegistry } from '${domainTypes}';
import { Repository } from 'typeorm';`,
  'src/pets/rest/pets.controller.ts': `import { QueryBus } from '@nestjs/cqrs';
import { GetPet } from '../queries/get-pet.query.js';
import { PetEntity } from '../read-model/pet.reader.js'; // breaks transport-through-buses
import { InjectRepository } from '@nestjs/typeorm'; // breaks transport-through-buses
import type { Repository } from 'typeorm'; // breaks transport-through-buses`,
};
