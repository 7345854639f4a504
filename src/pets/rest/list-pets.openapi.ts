import { applyDecorators } from '@nestjs/common';
import { ApiOperation, ApiQuery } from '@nestjs/swagger';
import { AcceptsEntityTag, Answers, entityTagHeader, nextPageHeader, Refuses, RefusesInGeneral, RefusesWith } from '#libs/openapi';
import { petExample, petsSchema, petStatusSchema } from './pet.openapi.js';

const headers = { ...entityTagHeader, ...nextPageHeader };

/** What the document tells of `listPets`. */
export function DescribesListPets(): MethodDecorator {
  return applyDecorators(
    ApiOperation({
      operationId: 'listPets',
      summary: 'List animals',
      description:
        'One page of the animals, ascending by id. Following the next links meets every animal once, also while others are added.',
    }),
    ApiQuery({
      name: 'limit',
      required: false,
      description: 'The most animals to return.',
      schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
    }),
    ApiQuery({ name: 'status', required: false, description: 'Only animals of this availability.', schema: petStatusSchema }),
    ApiQuery({
      name: 'cursor',
      required: false,
      description: 'Where the page begins: taken from the `Link` of the page before, with the same status.',
      schema: { type: 'string' },
    }),
    AcceptsEntityTag(),
    Answers({
      status: 200,
      description: 'The page.',
      headers,
      content: { schema: petsSchema, examples: { page: { value: [petExample] }, empty: { value: [] } } },
    }),
    Answers({ status: 304, description: 'The page is still the one that If-None-Match names.', headers }),
    Refuses(400),
    RefusesWith(headers, 412),
    RefusesInGeneral(),
  );
}
