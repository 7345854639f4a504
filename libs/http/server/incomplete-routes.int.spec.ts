import { Controller, Get, type Type } from '@nestjs/common';
import { type RouteAccess, CacheByProjection, NoInput, Operation, setHandlerMetadata } from '../routes/route-metadata.js';
import { createControllersApp } from '../testing/controllers-app.js';

const Access = (access: RouteAccess) => setHandlerMetadata({ access });
const described = [NoInput(), Operation({ id: 'getNotes', summary: 'Get', description: 'Gets.', answer: { description: 'Them.' } })];

/** A controller of `/notes` whose only handler, `handle`, has these decorators. */
function notesController(...decorators: MethodDecorator[]): Type<unknown> {
  class NotesController {
    handle(): void {}
  }
  Controller('notes')(NotesController);
  const descriptor = Object.getOwnPropertyDescriptor(NotesController.prototype, 'handle') ?? {};
  for (const decorate of [Get(), ...decorators]) decorate(NotesController.prototype, 'handle', descriptor);
  return NotesController;
}

describe('a route that leaves unsaid what nobody may guess', () => {
  const start = async (...decorators: MethodDecorator[]) => {
    const { app, adapter } = await createControllersApp({ controllers: [notesController(...decorators)] });
    app.setGlobalPrefix('v1');
    await app.init();
    await app.close();
    adapter.assertRoutesComplete({ scopes: new Set(['things']), readModels: new Set(['things']) });
  };

  it.each<[missing: string, decorators: MethodDecorator[], error: RegExp]>([
    ['access', described, /^GET \/v1\/notes \(NotesController\.handle\) says none of @RequiresScope/],
    ['a known scope', [Access({ scope: 'thing' }), ...described], /requires the scope thing, which no module brings/],
    [
      'a known read model',
      [Access('public'), CacheByProjection({ readModel: 'thing' }), ...described],
      /is cached by the read model thing/,
    ],
    ['its input', [Access('public'), ...described.slice(1)], /does not say what it reads/],
  ])('stops the start without %s', async (_missing, decorators, error) => {
    await expect(start(...decorators)).rejects.toThrow(error);
    await start(Access({ scope: 'things' }), CacheByProjection({ readModel: 'things' }), ...described);
  });
});
