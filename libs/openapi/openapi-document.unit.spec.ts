import { Controller, Get, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { ApiExtension, ApiTags, type OpenAPIObject } from '@nestjs/swagger';
import { createFastifyAdapter, createLogger, Operation, ReadId, NoInput, type ServiceAdapter } from '#libs/api-kit';
import { errorCodes } from '#libs/errors';
import { defineSchema } from './components.js';
import { buildOpenApiDocument, renderOpenApiDocument, type ServiceDescription } from './openapi-document.js';

const SERVICE: ServiceDescription = {
  title: 'Things',
  description: 'All of them.',
  version: '1.0.0',
  credential: 'A key.',
  keyVariable: 'THING_KEY',
  sampleServer: 'https://api.example/v1',
  servers: { production: 'https://api.example/v1', staging: 'https://staging.example/v1' },
  tags: [{ name: 'things', description: 'What there is.' }],
  errors: Object.values(errorCodes({ thing_lent: { status: 409, description: 'Somebody has it.' } })),
  prefix: '/v1',
};
const thing = defineSchema('Thing', { type: 'string' });

@ApiTags('things')
@Controller()
class ThingsController {
  @Get('things/:id')
  @ApiExtension('x-stability', 'beta')
  @Operation({
    id: 'getThing',
    summary: 'Get it',
    description: 'It.',
    answer: { description: 'It.', schema: thing, examples: {} },
    refuses: [404, 409],
  })
  getThing(@ReadId('id', 'Which.') id: bigint): string {
    return id.toString();
  }

  @Get('animals')
  @NoInput()
  @Operation({ id: 'listAnimals', summary: 'List them', description: 'All.', answer: { description: 'All.', schema: thing, examples: {} } })
  listAnimals(): string[] {
    return [];
  }
}

@Module({ controllers: [ThingsController] })
class ThingsModule {}

describe('the OpenAPI document', () => {
  let app: NestFastifyApplication;
  let adapter: ServiceAdapter;
  const build = (): OpenAPIObject => buildOpenApiDocument(app, adapter.routes, SERVICE);

  beforeEach(async () => {
    const logger = createLogger({ level: 'silent' });
    adapter = createFastifyAdapter({ bodyLimitBytes: 1, trustProxy: false, logger, protectedPrefixes: ['/v1'], jsonPrefixes: ['/v1'] });
    app = await NestFactory.create<NestFastifyApplication>(ThingsModule, adapter, { logger: false, bodyParser: false });
    app.setGlobalPrefix('v1');
    await app.init();
  });

  afterEach(() => app.close());

  it('is an OpenAPI 3.1 document of version 1.0.0 with both servers', () => {
    expect(build()).toMatchObject({
      openapi: expect.stringMatching(/^3\.1\./),
      info: { version: '1.0.0' },
      servers: [{ url: 'https://api.example/v1' }, { url: 'https://staging.example/v1' }],
      components: { securitySchemes: { bearerAuth: { type: 'http', scheme: 'bearer' } } },
    });
  });

  it('lists paths in their order, without the version that the servers hold', () => {
    expect(Object.keys(build().paths)).toEqual(['/animals', '/things/{id}']);
  });

  it('carries the stability of an operation', () => {
    expect(build().paths['/things/{id}']?.get).toMatchObject({
      operationId: 'getThing',
      'x-stability': 'beta',
    });
  });

  it('refers only to components that it defines', () => {
    const document = build();
    const references = [...renderOpenApiDocument(document).matchAll(/"\$ref": "#\/components\/(\w+)\/([^"]+)"/g)];
    expect(references.length).toBeGreaterThan(0);
    for (const [, kind = '', name = ''] of references) expect(document.components).toHaveProperty([kind, name]);
  });

  it('defines no response and no header that nothing refers to', () => {
    const document = build();
    for (const kind of ['responses', 'headers'] as const) {
      const names = Object.keys(document.components?.[kind] ?? {});
      expect(names.length).toBeGreaterThan(0);
      for (const name of names) expect(renderOpenApiDocument(document)).toContain(`"#/components/${kind}/${name}"`);
    }
  });

  it('describes HEAD wherever there is GET, without content, and OPTIONS of every path', () => {
    const { paths } = build();
    for (const { get, head, options } of Object.values(paths)) {
      expect(Object.keys(head?.responses ?? {})).toEqual(Object.keys(get?.responses ?? {}));
      expect(head?.parameters).toEqual(get?.parameters);
      expect(JSON.stringify(head)).not.toMatch(/"content"|#\/components\/responses/);
      expect(options?.responses).toMatchObject({ 204: { headers: { Allow: {} } } });
    }
  });

  it('gives each operation an id of its own', () => {
    const operations = Object.values(build().paths).flatMap(({ get, head, options }) => [get, head, options]);
    const ids = operations.map((operation) => operation?.operationId);
    expect(ids).toEqual(expect.arrayContaining(['getThing', 'getThingHead', 'getThingOptions']));
    expect(new Set(ids)).toHaveProperty('size', 6);
  });

  it('names each parameter of an operation once', () => {
    const { parameters, get, options } = build().paths['/things/{id}'] ?? {};
    expect(parameters).toBeUndefined();
    for (const operation of [get, options]) expect(operation?.parameters).toEqual([expect.objectContaining({ name: 'id', in: 'path' })]);
  });

  it('does not say that a key is a JWT', () => {
    expect(build().components?.securitySchemes?.['bearerAuth']).not.toHaveProperty('bearerFormat');
  });

  it('tells the codes of modules beside those of the service', () => {
    const { components } = build();
    expect(components?.schemas?.['Error']).toMatchObject({
      properties: { code: { enum: expect.arrayContaining(['conflict', 'thing_lent']) } },
    });
    expect(components?.responses?.['Conflict']).toMatchObject({
      content: {
        'application/json': { examples: { thing_lent: { value: { code: 'thing_lent', message: 'Somebody has it.', status: 409 } } } },
      },
    });
  });

  it('is the same text every time', () => {
    expect(renderOpenApiDocument(build())).toBe(renderOpenApiDocument(build()));
  });

  it('has no member that OpenAPI 3.1 dropped', () => {
    expect(renderOpenApiDocument(build())).not.toMatch(/"nullable"|"exclusiveM\w+": (true|false)/);
  });
});
