import { Controller, Get, Post, type Type } from '@nestjs/common';
import { IsInt64, IsText } from '../validation/rules.js';
import { type RouteAccess, CacheByProjection, NoInput, Operation, setHandlerMetadata } from '../routes/route-metadata.js';
import { ReadBody, ReadId } from '../input/read-request.js';
import { createControllersApp } from '../testing/controllers-app.js';

const Access = (access: RouteAccess) => setHandlerMetadata({ access });
const Described = (id: string) =>
  Operation({ id, summary: id, description: id, answer: { description: 'It.', schema: { $ref: '#' }, examples: {} } });

/** The errors that stop the start of an application with these controllers. */
async function startErrors(...controllers: Type<unknown>[]): Promise<string[]> {
  const { app, adapter } = await createControllersApp({ controllers });
  app.setGlobalPrefix('v1');
  await app.init();
  try {
    adapter.assertRoutesComplete({ scopes: new Set(['things']), readModels: new Set(['things']) });
    return [];
  } catch (error) {
    return (error as Error).message.split('\n');
  } finally {
    await app.close();
  }
}

/** A controller of `/notes` whose only handler, `handle`, has these decorators. */
function notesController(...decorators: MethodDecorator[]): Type<unknown> {
  class NotesController {
    handle(): void {}
  }
  Controller('notes')(NotesController);
  const descriptor = Object.getOwnPropertyDescriptor(NotesController.prototype, 'handle') ?? {};
  for (const decorate of decorators) decorate(NotesController.prototype, 'handle', descriptor);
  return NotesController;
}

@Access({ scope: 'things' })
@Controller('things')
class CompleteController {
  @Get()
  @NoInput()
  @Described('listThings')
  list(): void {}

  @Get(':id')
  @Access('public')
  @Described('getThing')
  get(@ReadId('id', 'Which.') id: bigint): string {
    return id.toString();
  }
}

describe('a route', () => {
  const inScope = Access({ scope: 'things' });

  it('is complete if it has access, input and an operation', async () => {
    expect(await startErrors(CompleteController)).toEqual([]);
  });

  it.each<[missing: string, decorators: MethodDecorator[], error: RegExp]>([
    [
      'access',
      [Post(), NoInput(), Described('createNote')],
      /^POST \/v1\/notes \(NotesController\.handle\) says none of @RequiresScope.*@RequiresKey.*@Public.*$/,
    ],
    ['an operation', [inScope, Get(), NoInput()], /^GET \/v1\/notes \(NotesController\.handle\) has no @Operation/],
    ['its input', [inScope, Post(), Described('createNote')], /^POST .* does not say what it reads/],
    [
      'a parameter of its path',
      [inScope, Get(':id'), NoInput(), Described('getNote')],
      /^GET \/v1\/notes\/:id .* does not read id of its path/,
    ],
    [
      'a known scope',
      [Access({ scope: 'thing' }), Get(), NoInput(), Described('listNotes')],
      /requires the scope thing, which no module brings; there are things\.$/,
    ],
    [
      'an operationId of its own',
      [inScope, Get(), NoInput(), Described('listThings')],
      /^GET \/v1\/notes .* has the operationId listThings of GET \/v1\/things\.$/,
    ],
    [
      'a known read model',
      [inScope, Get(), CacheByProjection({ readModel: 'thing' }), NoInput(), Described('listNotes')],
      /^GET .* is cached by the read model thing, which there is not; there are things\.$/,
    ],
  ])('stops the start without %s', async (_missing, decorators, error) => {
    expect(await startErrors(CompleteController, notesController(...decorators))).toEqual([expect.stringMatching(error)]);
  });

  it('names all errors at once', async () => {
    expect(await startErrors(notesController(inScope, Post()))).toHaveLength(2);
  });

  it('that reads path and body of one command must say which of its properties are in which', async () => {
    class RenameThing {
      @IsInt64()
      readonly id!: bigint;

      @IsText(9)
      readonly name!: string;
    }
    const controllerWith = (without?: readonly string[]) => {
      const body = { type: RenameThing, schema: 'Renaming', noun: 'a renaming', examples: {}, ...(without && { without }) };
      @Access({ scope: 'things' })
      @Controller('things')
      class ThingsController {
        @Post(':thingId/rename')
        @Described('renameThing')
        rename(@ReadId('thingId', 'The id.') id: bigint, @ReadBody(body) values: object): object {
          return { ...values, id: id.toString() };
        }
      }
      return ThingsController;
    };
    expect(await startErrors(controllerWith())).toEqual([
      "POST /v1/things/:thingId/rename (ThingsController.rename) reads thingId of its path and a body: give @ReadBody `without`, the properties of RenameThing that are not in the body, such as ['id'].",
    ]);
    expect(await startErrors(controllerWith(['id']))).toEqual([]);
    expect(() => controllerWith(['thingId'])).toThrow('RenameThing has no rules for thingId, which its body is to be without.');
  });
});
