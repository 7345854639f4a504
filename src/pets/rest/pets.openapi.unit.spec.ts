import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { CqrsModule } from '@nestjs/cqrs';
import type { OpenAPIObject, OperationObject } from '@nestjs/swagger';
import { createFastifyAdapter, buildOpenApiDocument } from '#libs/http';
import { createLogger, Clock, SystemClock } from '#libs/observability';
import { PetsController } from './pets.controller.js';

@Module({ imports: [CqrsModule.forRoot()], controllers: [PetsController], providers: [{ provide: Clock, useClass: SystemClock }] })
class DescribedModule {}

const GENERAL = ['401', '403', '405', '406', '408', '414', '417', '429', '431', '500', '501', '503', '505'];

describe('the description of the animals', () => {
  let document: OpenAPIObject;

  beforeAll(async () => {
    const logger = createLogger({ level: 'silent' });
    const adapter = createFastifyAdapter({
      bodyLimitBytes: 1,
      trustProxy: false,
      logger,
      protectedPrefixes: ['/v1'],
      jsonPrefixes: ['/v1'],
    });
    const app = await NestFactory.create<NestFastifyApplication>(DescribedModule, adapter, { logger: false, bodyParser: false });
    app.setGlobalPrefix('v1');
    await app.init();
    const service = {
      title: 'Pets',
      description: '',
      version: '1.0.0',
      credential: 'A key.',
      challenge: 'Bearer realm="pets"',
      keyVariable: 'ADOPTION_KEY',
      sampleServer: 'https://api.example/v1',
      servers: {},
      tags: [],
      errors: [],
      prefix: '/v1',
    };
    document = buildOpenApiDocument(adapter.routes, service);
    await app.close();
  });

  it('names the schemas of the interface', () => {
    expect(Object.keys(document.components?.schemas ?? {})).toEqual(['Error', 'NewPet', 'Pet', 'PetChanges', 'PetStatus', 'Pets']);
  });

  it.each([
    ['listPets', ['200', '304', '400', '412', ...GENERAL]],
    ['createPet', ['201', '400', '409', '412', '413', '415', '422', ...GENERAL]],
    ['getPet', ['200', '304', '400', '404', '410', '412', ...GENERAL]],
    ['updatePet', ['200', '400', '404', '409', '412', '413', '415', ...GENERAL]],
    ['deletePet', ['204', '400', '404', '409', '412', ...GENERAL]],
  ])('tells every status of %s', (operationId, statuses) => {
    expect(Object.keys(operation(operationId).responses)).toEqual([...statuses].sort());
  });

  it.each([
    ['listPets', ['limit', 'status', 'cursor', 'ids', 'If-Match', 'If-None-Match']],
    ['createPet', ['Idempotency-Key', 'If-None-Match']],
    ['getPet', ['petId', 'If-Match', 'If-None-Match']],
    ['updatePet', ['petId', 'If-Match', 'If-None-Match']],
    ['deletePet', ['petId', 'reason', 'If-Match', 'If-None-Match']],
  ])('tells every parameter of %s', (operationId, names) => {
    const parameters = (operation(operationId).parameters ?? []).map((parameter) => 'name' in parameter && parameter.name);
    expect(parameters.sort()).toEqual([...names].sort());
  });

  it.each(['200', '304', '400', '404', '410', '412'])('tells of the deprecation on %s of getPet', (status) => {
    expect(operation('getPet')).toMatchObject({
      deprecated: true,
      responses: { [status]: { headers: { Deprecation: {}, Sunset: {}, Link: {} } } },
    });
  });

  it.each(['listPets', 'createPet', 'getPet', 'updatePet', 'deletePet'])('asks for a bearer credential in %s', (operationId) => {
    expect(operation(operationId).security).toEqual([{ bearerAuth: [] }]);
  });

  function operation(operationId: string): OperationObject {
    const operations = Object.values(document.paths).flatMap(({ get, post, patch, delete: withdraw }) => [get, post, patch, withdraw]);
    const found = operations.find((candidate) => candidate?.operationId === operationId);
    if (!found) throw new Error(`There is no operation ${operationId}.`);
    return found;
  }
});
