import { applyDecorators } from '@nestjs/common';
import { ApiOperation, ApiParam } from '@nestjs/swagger';
import { AcceptsEntityTag, Answers, deprecationHeaders, entityTagHeader, RefusesInGeneral, RefusesWith } from '#libs/openapi';
import { petExample, petSchema } from './pet.openapi.js';

const headers = { ...entityTagHeader, ...deprecationHeaders };

/** What the document tells of `getPet`. */
export function DescribesGetPet(): MethodDecorator {
  return applyDecorators(
    ApiOperation({
      operationId: 'getPet',
      summary: 'Get an animal',
      description: 'Deprecated: it answers 410 from 5 December 2030, 00:00 UTC. Use `listPets` with the status filter.',
      deprecated: true,
    }),
    ApiParam({ name: 'petId', description: 'The id of the animal.', schema: { type: 'integer', format: 'int64' } }),
    AcceptsEntityTag(),
    Answers({
      status: 200,
      description: 'The animal.',
      headers,
      content: { schema: petSchema, examples: { pet: { value: petExample } } },
    }),
    Answers({ status: 304, description: 'The animal is still the one that If-None-Match names.', headers }),
    RefusesWith(deprecationHeaders, 400, 404, 410, 500, 503),
    RefusesWith(headers, 412),
    RefusesInGeneral(500, 503),
  );
}
