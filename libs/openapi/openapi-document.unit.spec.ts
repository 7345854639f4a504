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

  it('defines no response and no header that nothing refers to', () => {
    const document = buildOpenApiDocument(app, BASE_URLS);
    for (const kind of ['responses', 'headers'] as const) {
      const names = Object.keys(document.components?.[kind] ?? {});
      expect(names.length).toBeGreaterThan(0);
      for (const name of names) expect(renderOpenApiDocument(document)).toContain(`"#/components/${kind}/${name}"`);
    }
  });

  it('describes HEAD wherever there is GET, without content, and OPTIONS of every path', () => {
    const { paths } = buildOpenApiDocument(app, BASE_URLS);
    for (const { get, head, options } of Object.values(paths)) {
      expect(Object.keys(head?.responses ?? {})).toEqual(Object.keys(get?.responses ?? {}));
      expect(head?.parameters).toEqual(get?.parameters);
      expect(JSON.stringify(head)).not.toMatch(/"content"|#\/components\/responses/);
      expect(options?.responses).toMatchObject({ 204: { headers: { Allow: {} } } });
    }
  });

  it('gives each operation an id of its own', () => {
    const operations = Object.values(buildOpenApiDocument(app, BASE_URLS).paths).flatMap(({ get, head, options }) => [get, head, options]);
    const ids = operations.map((operation) => operation?.operationId);
    expect(ids).toEqual(expect.arrayContaining(['getThing', 'getThingHead', 'getThingOptions']));
    expect(new Set(ids)).toHaveProperty('size', 6);
  });

  it('names each parameter of an operation once', () => {
    const { parameters, get, options } = buildOpenApiDocument(app, BASE_URLS).paths['/things/{id}'] ?? {};
    expect(parameters).toBeUndefined();
    for (const operation of [get, options]) expect(operation?.parameters).toEqual([expect.objectContaining({ name: 'id', in: 'path' })]);
  });

  it('does not say that a key is a JWT', () => {
    expect(buildOpenApiDocument(app, BASE_URLS).components?.securitySchemes?.['bearerAuth']).not.toHaveProperty('bearerFormat');
  });

  it('is the same text every time', () => {
    expect(renderOpenApiDocument(buildOpenApiDocument(app, BASE_URLS))).toBe(renderOpenApiDocument(buildOpenApiDocument(app, BASE_URLS)));
  });

  it('has no member that OpenAPI 3.1 dropped', () => {
    expect(renderOpenApiDocument(buildOpenApiDocument(app, BASE_URLS))).not.toMatch(/"nullable"|"exclusiveM\w+": (true|false)/);
  });
});
