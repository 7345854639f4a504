import { Controller, Get, Module, Param } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { ApiOperation } from '@nestjs/swagger';
import { buildOpenApiDocument, renderOpenApiDocument } from './openapi-document.js';
import { RefusesInGeneral } from './responses.decorator.js';
import { Stability } from './stability.decorator.js';

const BASE_URLS = { production: 'https://api.example/v1', staging: 'https://staging.example/v1' };

@Controller()
class ThingsController {
  @Get('things/:id')
  @ApiOperation({ operationId: 'getThing' })
  @Stability('beta')
  @RefusesInGeneral()
  getThing(@Param('id') id: string): string {
    return id;
  }

  @Get('animals')
  @ApiOperation({ operationId: 'listAnimals' })
  listAnimals(): string[] {
    return [];
  }
}

@Module({ controllers: [ThingsController] })
class ThingsModule {}

describe('the OpenAPI document', () => {
  let app: NestFastifyApplication;

  beforeEach(async () => {
    app = await NestFactory.create<NestFastifyApplication>(ThingsModule, new FastifyAdapter(), { logger: false });
    app.setGlobalPrefix('v1');
  });

  afterEach(() => app.close());

  it('is an OpenAPI 3.1 document of version 1.0.0 with both servers', () => {
    expect(buildOpenApiDocument(app, BASE_URLS)).toMatchObject({
      openapi: expect.stringMatching(/^3\.1\./),
      info: { version: '1.0.0' },
      servers: [{ url: BASE_URLS.production }, { url: BASE_URLS.staging }],
      components: { securitySchemes: { bearerAuth: { type: 'http', scheme: 'bearer' } } },
    });
  });

  it('lists paths in their order, without the version that the servers hold', () => {
    expect(Object.keys(buildOpenApiDocument(app, BASE_URLS).paths)).toEqual(['/animals', '/things/{id}']);
  });

  it('carries the stability of an operation', () => {
    expect(buildOpenApiDocument(app, BASE_URLS).paths['/things/{id}']?.get).toMatchObject({
      operationId: 'getThing',
      'x-stability': 'beta',
    });
  });

  it('refers only to components that it defines', () => {
    const document = buildOpenApiDocument(app, BASE_URLS);
    const references = [...renderOpenApiDocument(document).matchAll(/"\$ref": "#\/components\/(\w+)\/([^"]+)"/g)];
    expect(references.length).toBeGreaterThan(0);
    for (const [, kind = '', name = ''] of references) expect(document.components).toHaveProperty([kind, name]);
  });

  it('is the same text every time', () => {
    expect(renderOpenApiDocument(buildOpenApiDocument(app, BASE_URLS))).toBe(renderOpenApiDocument(buildOpenApiDocument(app, BASE_URLS)));
  });

  it('has no member that OpenAPI 3.1 dropped', () => {
    expect(renderOpenApiDocument(buildOpenApiDocument(app, BASE_URLS))).not.toMatch(/"nullable"|"exclusiveM\w+": (true|false)/);
  });
});
