import { Inject, Injectable } from '@nestjs/common';
import { Database, type Migration } from '#libs/database';
import { HealthCatalog } from '#libs/health';
import { ProjectionStatuses } from '#libs/projections';
import { MIGRATIONS } from '../migrations.token.js';
import { databasePart } from './database.part.js';
import { migrationsPart } from './migrations.part.js';
import { projectionsPart } from './projections.part.js';

/** Registers what every request needs. */
@Injectable()
export class HealthParts {
  constructor(
    catalog: HealthCatalog,
    database: Database,
    projections: ProjectionStatuses,
    @Inject(MIGRATIONS) migrations: readonly Migration[],
  ) {
    for (const part of [databasePart(database), migrationsPart(database, migrations), projectionsPart(projections)]) catalog.register(part);
  }
}
