import { applyDecorators } from '@nestjs/common';
import { ApiBody, ApiHeader, ApiOperation } from '@nestjs/swagger';
import { Answers, createdHeaders, Refuses, RefusesInGeneral } from '#libs/openapi';
import { newPetSchema, petExample, petSchema } from './pet.openapi.js';

/** What the document tells of `createPet`. */
export function DescribesCreatePet(): MethodDecorator {
  return applyDecorators(
    ApiOperation({
      operationId: 'createPet',
      summary: 'Add an animal',
      description: 'Adds an animal and gives it an id. With an Idempotency-Key the request can be repeated without adding a second one.',
    }),
    ApiHeader({
      name: 'Idempotency-Key',
      required: false,
      description:
        'A key of the client for this request: 1 to 255 printable ASCII characters, as they are or as a quoted string. The same key and values within 24 hours repeat the first ' +
        'answer; with other values they get 422, and 409 while the first request is still running.',
      schema: { type: 'string', minLength: 1 },
      example: '"8e03978e-40d5-43dd-bc93-6894a57f9324"',
    }),
    ApiBody({
      required: true,
      schema: newPetSchema,
      examples: {
        withStatus: { value: { name: 'Rex', categoryId: 7, status: 'available' } },
        withoutStatus: { value: { name: 'Ana', categoryId: 7 } },
      },
    }),
    Answers({
      status: 201,
      description: 'The animal that was added.',
      headers: createdHeaders,
      content: { schema: petSchema, examples: { pet: { value: petExample } } },
    }),
    Refuses(400, 409, 413, 415, 422),
    RefusesInGeneral(),
  );
}
