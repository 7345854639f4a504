import { Module, type DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { TimeoutCatalog } from '#libs/event-sourcing';
import { AppModule, type AppOptions } from '../../src/app.module.js';
import { loadServiceConfiguration } from '../../src/bootstrap/composition.js';
import { createBackend } from '../databases/test-backend.fixture.js';

/** How often timeouts were looked for. */
let looks = 0;

/** The application with a module that has timeouts, none of which is due. */
@Module({})
class ModuleWithTimeouts {
  constructor(catalog: TimeoutCatalog) {
    const due = () => {
      looks += 1;
      return Promise.resolve([]);
    };
    catalog.register({ name: 'test', due, oldestDue: () => Promise.resolve(undefined), fire: () => Promise.resolve() });
  }

  static in(application: DynamicModule): DynamicModule {
    return { module: ModuleWithTimeouts, imports: [application] };
  }
}

describe('timeouts', () => {
  it.each<[AppOptions['purpose'], boolean]>([
    ['service', true],
    ['cli', false],
  ])('in an application that is a %s fire from the start on: %p', async (purpose, fire) => {
    const backend = await createBackend();
    looks = 0;
    try {
      const application = AppModule.forRoot(loadServiceConfiguration(backend.environment), { purpose });
      await (
        await NestFactory.createApplicationContext(ModuleWithTimeouts.in(application), { logger: false, abortOnError: false })
      ).close();
      expect(looks > 0).toBe(fire);
    } finally {
      await backend.remove();
    }
  });
});
