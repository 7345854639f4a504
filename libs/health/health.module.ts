import { Global, Module } from '@nestjs/common';
import { Health } from './health.js';
import { HealthCatalog } from './health-catalog.js';

/** Provides `Health` and the catalog in which modules register their parts, in their constructors. */
@Global()
@Module({ providers: [HealthCatalog, Health], exports: [HealthCatalog, Health] })
export class HealthModule {}
