import { Controller, Get, Param, Res } from '@nestjs/common';
import { ApplicationError } from '#libs/errors';
import { findDataSchema, PublicEventCatalog } from '#libs/public-events';
import type { FastifyReply } from 'fastify';
import { Public } from '../../auth/index.js';

/** The schemas that events name as `dataschema`, for everybody. Their paths are not under the version of the interface. */
@Public()
@Controller('schemas')
export class SchemasController {
  constructor(private readonly catalog: PublicEventCatalog) {}

  @Get(':type/:version')
  schema(@Param('type') type: string, @Param('version') version: string, @Res({ passthrough: true }) reply: FastifyReply): string {
    const schema = findDataSchema(this.catalog, type, version);
    if (!schema) throw new ApplicationError('not_found', 'There is no such schema; an event names that of its data as dataschema.');
    // A version never changes but in what it says for people.
    reply.type('application/schema+json').header('cache-control', 'public, max-age=3600');
    return JSON.stringify(schema);
  }
}
