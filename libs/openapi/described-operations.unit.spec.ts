import { Controller, Delete, Get, Module, Patch, Post } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { OpenAPIObject } from '@nestjs/swagger';
import {
  createFastifyAdapter,
  createLogger,
  IfMatch,
  Operation,
  ReadBody,
  NoInput,
  type DescribedOperation,
  type Precondition,
} from '#libs/api-kit';
import { IsText } from '#libs/validation';
import { defineSchema } from './components.js';
import { buildOpenApiDocument } from './openapi-document.js';

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

@Controller('letters')
class LettersController {
  @Get()
  @NoInput()
  @Operation(described('listLetters'))
  list(): void {}

  @Post()
  @Operation(described('writeLetter', { stability: 'experimental', answer: { tagged: true, description: 'It.', schema } }))
  write(@ReadBody(body) values: object): object {
    return values;
  }

  @Patch()
  @Operation(described('changeLetter', { stability: 'beta', answer: { tagged: true, description: 'It.', schema } }))
  change(
    @ReadBody({ ...body, schema: 'Changing', mediaTypes: ['application/merge-patch+json', 'application/json'] }) values: object,
    @IfMatch() precondition: Precondition | undefined,
  ): object {
    precondition?.(values);
    return values;
  }

  @Delete()
  @Operation(
    described('burnLetter', {
      answer: { status: 204, description: 'It is gone.', headers: { 'X-Burned-Pages': 'How many pages it had.' } },
    }),
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

describe('an operation of the document', () => {
  let document: OpenAPIObject;

  beforeAll(async () => {
    const logger = createLogger({ level: 'silent' });
    const adapter = createFastifyAdapter({ bodyLimitBytes: 1, trustProxy: false, logger, protectedPrefixes: [], jsonPrefixes: [] });
    const app = await NestFactory.create<NestFastifyApplication>(LettersModule, adapter, { logger: false, bodyParser: false });
    await app.init();
    document = buildOpenApiDocument(app, adapter.routes, {
      title: 'Letters',
      description: 'All of them.',
      version: '1.0.0',
      credential: 'A key.',
      keyVariable: 'THING_KEY',
      sampleServer: 'https://api.example/v1',
      servers: {},
      tags: [],
      errors: [],
      prefix: '',
    });
    await app.close();
  });

  it('tells its stability, and what is implied by it too', () => {
    const { get, head, post, patch, options } = document.paths['/letters'] ?? {};
    expect([post, patch]).toMatchObject([{ 'x-stability': 'experimental' }, { 'x-stability': 'beta' }]);
    for (const stable of [get, head, options]) expect(stable).not.toHaveProperty('x-stability');
    expect(document.paths['/letters/sent']?.options).toHaveProperty('x-stability', 'experimental');
  });

  it('lists each media type that its body may be sent as', () => {
    const contentOf = (method: 'post' | 'patch') => {
      const requestBody = document.paths['/letters']?.[method]?.requestBody;
      return requestBody && 'content' in requestBody ? requestBody.content : {};
    };
    const schemaOfChange = { $ref: '#/components/schemas/Changing' };
    expect(contentOf('patch')).toMatchObject({
      'application/merge-patch+json': { schema: schemaOfChange },
      'application/json': { schema: schemaOfChange },
    });
    expect(Object.keys(contentOf('post'))).toEqual(['application/json']);
  });

  it('has the parameter and the refusal of a precondition where it takes one', () => {
    const { get, post, patch, delete: burn } = document.paths['/letters'] ?? {};
    for (const conditional of [patch, burn, document.paths['/letters/sent']?.post]) {
      expect(conditional?.parameters).toEqual([
        expect.objectContaining({ name: 'If-Match', in: 'header', required: false }),
        expect.objectContaining({ name: 'If-None-Match', in: 'header', required: false }),
      ]);
      expect(conditional?.responses).toMatchObject({ 412: { headers: { ETag: { $ref: '#/components/headers/ETag' } } } });
    }
    for (const unconditional of [get, post]) {
      expect(unconditional?.parameters).toEqual([]);
      expect(unconditional?.responses).not.toHaveProperty('412');
    }
  });

  it('says whether it may come without a body', () => {
    const isRequired = (path: string, method: 'post' | 'patch') => document.paths[path]?.[method]?.requestBody;
    expect(isRequired('/letters/sent', 'post')).toMatchObject({ required: false });
    expect(isRequired('/letters', 'post')).toMatchObject({ required: true });
  });

  it('has the tag where it says that it gives one, and no Location but on what was created', () => {
    const headersOf = (path: string, method: 'post' | 'patch' | 'delete', status: number) => {
      const response = document.paths[path]?.[method]?.responses[status];
      const names = Object.keys((response && 'headers' in response && response.headers) || {});
      return names.filter((name) => ['ETag', 'Location', 'X-Burned-Pages'].includes(name));
    };
    expect(headersOf('/letters', 'patch', 200)).toEqual(['ETag']);
    expect(headersOf('/letters/sent', 'post', 200)).toEqual([]);
    expect(headersOf('/letters', 'post', 201)).toEqual(['ETag', 'Location']);
    expect(headersOf('/letters', 'delete', 204)).toEqual(['X-Burned-Pages']);
  });

  it('tells the further headers that its answer may have', () => {
    expect(document.paths['/letters']?.delete?.responses[204]).toMatchObject({
      headers: { 'X-Burned-Pages': { description: 'How many pages it had.', required: false, schema: { type: 'string' } } },
    });
  });
});
