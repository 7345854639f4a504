import { Controller, Get, Module, Param, Post, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { IsInt64, IsText } from '#libs/validation';
import type { RouteAccess } from '../routes/route-metadata.js';
import {
  CacheByProjection,
  createFastifyAdapter,
  createLogger,
  Operation,
  ReadBody,
  ReadId,
  NoInput,
  setHandlerMetadata,
  type DescribedOperation,
} from '../index.js';

const Access = (access: RouteAccess) => setHandlerMetadata({ access });
const operation = (id: string): DescribedOperation => ({
  id,
  summary: id,
  description: id,
  answer: { description: 'It.', schema: { $ref: '#' }, examples: {} },
});

/** What stops the start of an application with these controllers; undefined where nothing does. */
async function refusalOf(...controllers: Type<unknown>[]): Promise<string | undefined> {
  const logger = createLogger({ level: 'silent' });
  const adapter = createFastifyAdapter({ bodyLimitBytes: 1, trustProxy: false, logger, protectedPrefixes: ['/v1'], jsonPrefixes: ['/v1'] });
  @Module({ controllers })
  class ControllersModule {}
  const app = await NestFactory.create<NestFastifyApplication>(ControllersModule, adapter, { logger: false, bodyParser: false });
  app.setGlobalPrefix('v1');
  await app.init();
  try {
    adapter.assertRoutesComplete({ scopes: new Set(['things']), readModels: new Set(['things']) });
    return undefined;
  } catch (error) {
    return (error as Error).message;
  } finally {
    await app.close();
  }
}

@Access({ scope: 'things' })
@Controller('things')
class WholeController {
  @Get()
  @NoInput()
  @Operation(operation('listThings'))
  list(): void {}

  @Get(':id')
  @Access('public')
  @Operation(operation('getThing'))
  get(@ReadId('id', 'Which.') id: bigint): string {
    return id.toString();
  }
}

describe('a route', () => {
  it('is complete when it says who may ask, what it reads and how the document describes it', async () => {
    expect(await refusalOf(WholeController)).toBeUndefined();
  });

  it('that does not say who may ask stops the start, in one line with method, path and handler', async () => {
    @Controller('notes')
    class NotesController {
      @Post()
      @NoInput()
      @Operation(operation('createNote'))
      add(): void {}
    }
    expect(await refusalOf(WholeController, NotesController)).toMatch(
      /^POST \/v1\/notes \(NotesController\.add\) says neither @RequiresScope.* nor @Public.*$/,
    );
  });

  it('that leaves out its operation, what it reads or a parameter of its path stops the start too', async () => {
    @Access({ scope: 'things' })
    @Controller('notes')
    class NotesController {
      @Get()
      @NoInput()
      list(): void {}

      @Post()
      @Operation(operation('createNote'))
      add(): void {}

      @Get(':id')
      @NoInput()
      @Operation(operation('getNote'))
      get(@Param('id') id: string): string {
        return id;
      }
    }
    expect((await refusalOf(NotesController))?.split('\n')).toEqual([
      expect.stringMatching(/^GET \/v1\/notes \(NotesController\.list\) has no @Operation/),
      expect.stringMatching(/^POST \/v1\/notes \(NotesController\.add\) does not say what it reads/),
      expect.stringMatching(/^GET \/v1\/notes\/:id \(NotesController\.get\) does not read id of its path/),
    ]);
  });

  it('that reads path and body of one command must say which of its properties are in which', async () => {
    class RenameThing {
      @IsInt64()
      readonly id!: bigint;

      @IsText(9)
      readonly name!: string;
    }
    const body = (without?: readonly string[]) => ({
      type: RenameThing,
      schema: 'Renaming',
      noun: 'a renaming',
      examples: {},
      ...(without && { without }),
    });
    const controllerWith = (without?: readonly string[]) => {
      @Access({ scope: 'things' })
      @Controller('things')
      class ThingsController {
        @Post(':thingId/rename')
        @Operation(operation('renameThing'))
        rename(@ReadId('thingId', 'The id.') id: bigint, @ReadBody(body(without)) values: object): object {
          return { ...values, id: id.toString() };
        }
      }
      return ThingsController;
    };
    expect(await refusalOf(controllerWith())).toBe(
      "POST /v1/things/:thingId/rename (ThingsController.rename) reads thingId of its path and a body: give @ReadBody `without`, the properties of RenameThing that are not in the body, such as ['id'].",
    );
    expect(await refusalOf(controllerWith(['id']))).toBeUndefined();
    expect(() => controllerWith(['thingId'])).toThrow('RenameThing has no rules for thingId, which its body is to be without.');
  });

  it('that asks for a scope nobody brings, or has the operationId of another, stops the start', async () => {
    @Access({ scope: 'thing' })
    @Controller('notes')
    class NotesController {
      @Get()
      @NoInput()
      @Operation(operation('listThings'))
      list(): void {}
    }
    expect((await refusalOf(WholeController, NotesController))?.split('\n')).toEqual([
      expect.stringContaining('requires the scope thing, which no module brings; there are things.'),
      'GET /v1/notes (NotesController.list) has the operationId listThings of GET /v1/things.',
    ]);
  });
});

describe('a cached route', () => {
  it('names a read model that there is', async () => {
    @Access({ scope: 'things' })
    @Controller('notes')
    class NotesController {
      @Get()
      @CacheByProjection({ readModel: 'thing' })
      @NoInput()
      @Operation(operation('listNotes'))
      list(): void {}
    }
    expect(await refusalOf(NotesController)).toMatch(/^GET .* is cached by the read model thing, which there is not; there are things\.$/);
  });
});
