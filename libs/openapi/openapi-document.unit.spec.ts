import { Controller, Delete, Get, Module, Patch, Post } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { ApiTags, type OpenAPIObject } from '@nestjs/swagger';
import {
  createFastifyAdapter,
  createLogger,
  IfMatch,
  NoInput,
  Operation,
  ReadBody,
  ReadId,
  type DescribedOperation,
  type Precondition,
} from '#libs/api-kit';
import { errorCodes } from '#libs/errors';
import { IsText } from '#libs/validation';
import { defineSchema } from './components.js';
import { buildOpenApiDocument, renderOpenApiDocument } from './openapi-document.js';

const SERVICE = {
  title: 'Letters',
  description: 'All of them.',
  version: '1.0.0',
  credential: 'A key.',
  challenge: 'Bearer realm="letters"',
  keyVariable: 'LETTER_KEY',
  sampleServer: 'https://api.example/v1',
  servers: { production: 'https://api.example/v1', staging: 'https://staging.example/v1' },
  tags: [{ name: 'letters', description: 'What was written.' }],
  errors: Object.values(errorCodes({ letter_sealed: { status: 409, description: 'It is sealed.' } })),
  prefix: '/v1',
};
const schema = defineSchema('Letter', { type: 'object' });
const described = (id: string, further: Partial<DescribedOperation> = {}): DescribedOperation => ({
  id,
  summary: id,
  description: id,
  answer: { description: 'It.', schema },
  ...further,
});

class Writing {
  @IsText(9)
  readonly text!: string;
}

const body = { type: Writing, schema: 'Writing', noun: 'a writing', examples: {} };

@ApiTags('letters')
@Controller('letters')
class LettersController {
  @Get()
  @NoInput()
  @Operation(described('listLetters'))
  list(): void {}

  @Get(':letterId')
  @Operation(described('getLetter', { stability: 'beta', refuses: [404, 409] }))
  get(@ReadId('letterId', 'Which.') id: bigint): string {
    return id.toString();
  }

  @Post()
  @Operation(described('writeLetter', { answer: { tagged: true, description: 'It.', schema } }))
  write(@ReadBody(body) values: object): object {
    return values;
  }

  @Patch()
  @Operation(described('changeLetter', { answer: { tagged: true, description: 'It.', schema } }))
  change(
    @ReadBody({ ...body, schema: 'Changing', mediaTypes: ['application/merge-patch+json', 'application/json'] }) values: object,
    @IfMatch() precondition: Precondition | undefined,
  ): object {
    precondition?.(values);
    return values;
  }

  @Delete()
  @Operation(
    described('burnLetter', { answer: { status: 204, description: 'Gone.', headers: { 'X-Burned-Pages': 'How many pages it had.' } } }),
  )
  burn(@IfMatch() precondition: Precondition | undefined): void {
    precondition?.({});
  }

  @Post('sent')
  @Operation(described('sendLetter', { stability: 'experimental', answer: { status: 200, description: 'It.', schema } }))
  send(@ReadBody({ ...body, schema: 'Sending', optional: true }) values: object, @IfMatch() precondition: Precondition | undefined): void {
    precondition?.(values);
  }
}

@Module({ controllers: [LettersController] })
class LettersModule {}

describe('the OpenAPI document', () => {
  let document: OpenAPIObject;
  const operations = (path: string) => document.paths[path] ?? {};

  beforeAll(async () => {
    const logger = createLogger({ level: 'silent' });
    const prefixes = { protectedPrefixes: ['/v1'], jsonPrefixes: ['/v1'] };
    const adapter = createFastifyAdapter({ bodyLimitBytes: 1, trustProxy: false, logger, ...prefixes });
    const app = await NestFactory.create<NestFastifyApplication>(LettersModule, adapter, { logger: false, bodyParser: false });
    app.setGlobalPrefix('v1');
    await app.init();
    document = buildOpenApiDocument(adapter.routes, SERVICE);
    await app.close();
  });

  it('describes the service, its servers and its credential', () => {
    expect(document).toMatchObject({
      openapi: expect.stringMatching(/^3\.1\./),
      info: { version: '1.0.0' },
      servers: [{ url: 'https://api.example/v1' }, { url: 'https://staging.example/v1' }],
      components: {
        securitySchemes: { bearerAuth: { type: 'http', scheme: 'bearer' } },
        headers: { 'WWW-Authenticate': { example: 'Bearer realm="letters"' } },
      },
    });
  });

  it('lists paths in order, without the prefix of the servers, with the tags of their controllers', () => {
    expect(Object.keys(document.paths)).toEqual(['/letters', '/letters/sent', '/letters/{letterId}']);
    expect(operations('/letters').get?.tags).toEqual(['letters']);
  });

  it('has exactly the components that it refers to', () => {
    const references = [...renderOpenApiDocument(document).matchAll(/"\$ref": "#\/components\/(\w+)\/([^"]+)"/g)];
    const { securitySchemes: _schemes, ...components } = document.components ?? {};
    const defined = Object.entries(components).flatMap(([kind, named]) => Object.keys(named as object).map((name) => `${kind}/${name}`));
    expect(defined.sort()).toEqual([...new Set(references.map(([, kind, name]) => `${kind}/${name}`))].sort());
  });

  it('describes HEAD wherever there is GET, without content, and OPTIONS of every path', () => {
    for (const { get, head, options } of Object.values(document.paths)) {
      expect(Object.keys(head?.responses ?? {})).toEqual(Object.keys(get?.responses ?? {}));
      expect(head?.parameters).toEqual(get?.parameters);
      expect(JSON.stringify(head ?? {})).not.toMatch(/"content"|#\/components\/responses/);
      expect(options?.responses).toMatchObject({ 204: { headers: { Allow: {} } } });
    }
    const ids = Object.values(document.paths).flatMap((item) =>
      Object.values(item as object).map(({ operationId }) => operationId as string),
    );
    expect(ids).toEqual(expect.arrayContaining(['getLetter', 'getLetterHead', 'getLetterOptions']));
    expect(new Set(ids)).toHaveProperty('size', ids.length);
  });

  it('has the error codes of modules', () => {
    expect(document.components).toMatchObject({
      schemas: { Error: { properties: { code: { enum: expect.arrayContaining(['conflict', 'letter_sealed']) } } } },
      responses: {
        Conflict: {
          content: { 'application/json': { examples: { letter_sealed: { value: { message: 'It is sealed.', status: 409 } } } } },
        },
      },
    });
  });

  it('has the stability of an operation, also on its HEAD and OPTIONS', () => {
    const { get, head, options } = operations('/letters/{letterId}');
    for (const operation of [get, head, options]) expect(operation).toHaveProperty('x-stability', 'beta');
    expect(operations('/letters').get).not.toHaveProperty('x-stability');
  });

  it('lists each media type of a body, and whether the body is required', () => {
    const { post, patch } = operations('/letters');
    const changing = { schema: { $ref: '#/components/schemas/Changing' } };
    expect(patch?.requestBody).toMatchObject({
      required: true,
      content: { 'application/merge-patch+json': changing, 'application/json': changing },
    });
    expect(Object.keys((post?.requestBody as { content?: object } | undefined)?.content ?? {})).toEqual(['application/json']);
    expect(operations('/letters/sent').post?.requestBody).toMatchObject({ required: false });
  });

  it('has the parameters and the 412 of a precondition where a handler takes one', () => {
    const { get, post, patch, delete: burn } = operations('/letters');
    for (const conditional of [patch, burn, operations('/letters/sent').post]) {
      expect(conditional?.parameters).toMatchObject([{ name: 'If-Match' }, { name: 'If-None-Match' }]);
      expect(conditional?.responses).toMatchObject({ 412: { headers: { ETag: { $ref: '#/components/headers/ETag' } } } });
    }
    for (const unconditional of [get, post]) {
      expect(unconditional?.parameters).toEqual([]);
      expect(unconditional?.responses).not.toHaveProperty('412');
    }
  });

  it.each([
    ['/letters', 'patch', 200, ['ETag']],
    ['/letters/sent', 'post', 200, []],
    ['/letters', 'post', 201, ['ETag', 'Location']],
    ['/letters', 'delete', 204, ['X-Burned-Pages']],
  ] as const)('has of %s by %s with %i the headers %j', (path, method, status, names) => {
    const response = operations(path)[method]?.responses[status];
    const headers = Object.keys((response && 'headers' in response && response.headers) || {});
    expect(headers.filter((name) => ['ETag', 'Location', 'X-Burned-Pages'].includes(name)).sort()).toEqual(names);
  });
});
