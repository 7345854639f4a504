import type { ServerResponse } from 'node:http';
import {
  BadRequestException,
  Catch,
  Controller,
  ForbiddenException,
  Get,
  Inject,
  Injectable,
  Module,
  NotFoundException,
  Post,
  ParseIntPipe,
  Query,
  Scope,
  ServiceUnavailableException,
  UseFilters,
  UseGuards,
  UseInterceptors,
  Version,
  VersioningType,
  type ArgumentsHost,
  type CallHandler,
  type CanActivate,
  type ExceptionFilter,
  type ExecutionContext,
  type MiddlewareConsumer,
  type NestInterceptor,
  type NestModule,
  type Type,
} from '@nestjs/common';
import { NestFactory, REQUEST } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { map, type Observable } from 'rxjs';
import { createFastifyAdapter } from './service-adapter.js';
import { ErrorFilter } from '../errors/error.filter.js';
import { createLogger } from '../logging/logger.js';
import { Operation } from '../routes/route-metadata.js';

@Injectable()
class RefusingGuard implements CanActivate {
  canActivate(): boolean {
    return false;
  }
}

@Injectable()
class WrappingInterceptor implements NestInterceptor {
  intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(map((value: unknown) => ({ wrapped: value })));
  }
}

@Catch(NotFoundException)
class OwnFilter implements ExceptionFilter {
  catch(_thrown: unknown, host: ArgumentsHost): void {
    void host.switchToHttp().getResponse<FastifyReply>().code(404).send({ own: true });
  }
}

@Injectable({ scope: Scope.REQUEST })
class OfRequest {
  constructor(@Inject(REQUEST) readonly request: FastifyRequest) {}
}

@Controller('things')
class ThingsController {
  constructor(private readonly ofRequest: OfRequest) {}

  @Get('guarded')
  @UseGuards(RefusingGuard)
  guarded(): string {
    return 'never';
  }

  @Get('intercepted')
  @UseInterceptors(WrappingInterceptor)
  intercepted(): number {
    return 1;
  }

  @Get('filtered')
  @UseFilters(OwnFilter)
  filtered(): never {
    throw new NotFoundException();
  }

  @Get('piped')
  piped(@Query('n', ParseIntPipe) n: number): object {
    return { n };
  }

  @Get('of-request')
  ofThisRequest(): object {
    return { url: this.ofRequest.request.url };
  }

  @Get('forbidden')
  forbidden(): never {
    throw new ForbiddenException('the reason');
  }

  @Get('several')
  several(): never {
    throw new BadRequestException(['one', 'two']);
  }

  @Post('accepted')
  @Operation({ id: 'acceptThing', summary: 'Accept', description: 'Accepts.', answer: { status: 202, description: 'It is accepted.' } })
  accepted(): object {
    return {};
  }

  @Get('unavailable')
  unavailable(): never {
    throw new ServiceUnavailableException('the reason');
  }
}

@Controller('things')
class VersionedController {
  @Version('2')
  @Get('versioned')
  versioned(): number {
    return 2;
  }
}

@Module({ controllers: [ThingsController], providers: [OfRequest] })
class ThingsModule {}

@Module({ controllers: [VersionedController] })
class VersionedModule {}

function signed(_request: unknown, response: ServerResponse, next: () => void): void {
  response.setHeader('x-signed', 'yes');
  next();
}

@Module({ controllers: [VersionedController] })
class MiddlewareModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(signed).forRoutes(VersionedController);
  }
}

describe('what Nest gives a route', () => {
  let app: NestFastifyApplication;

  beforeAll(async () => {
    app = await create(ThingsModule);
    await app.init();
  });
  afterAll(() => app.close());

  it.each([
    ['guards, with the error of the service', 'guarded', 403, { code: 'insufficient_scope' }],
    ['interceptors', 'intercepted', 200, { wrapped: 1 }],
    ['filters of its own', 'filtered', 404, { own: true }],
    ['pipes', 'piped?n=5', 200, { n: 5 }],
    ['pipes that refuse, with the error of the service', 'piped?n=x', 400, { code: 'invalid_request' }],
    ['providers of the request', 'of-request', 200, { url: '/things/of-request' }],
    ['exceptions of 4xx with their message', 'forbidden', 403, { code: 'insufficient_scope', message: 'the reason' }],
    ['exceptions with several messages', 'several', 400, { code: 'invalid_request', message: 'one; two' }],
    ['exceptions of 5xx as a failure of the service', 'unavailable', 500, { code: 'internal_error' }],
  ])('are %s', async (_what, path, status, body) => {
    const response = await app.inject({ url: `/things/${path}` });

    expect({ status: response.statusCode, body: response.json<unknown>() }).toEqual({
      status,
      body: expect.objectContaining(body) as unknown,
    });
  });

  it('is the status that its operation describes', async () => {
    expect((await app.inject({ method: 'POST', url: '/things/accepted' })).statusCode).toBe(202);
  });

  it('are versions in the path', async () => {
    const versioned = await create(VersionedModule);
    versioned.enableVersioning({ type: VersioningType.URI });
    await versioned.init();

    expect((await versioned.inject({ url: '/v2/things/versioned' })).statusCode).toBe(200);
    await versioned.close();
  });
});

describe('middleware', () => {
  it.each<[string, Type<unknown>, (app: NestFastifyApplication) => unknown]>([
    ['of a module', MiddlewareModule, () => undefined],
    ['of the application', VersionedModule, (app) => app.use(signed)],
  ])('%s runs', async (_what, module, configure) => {
    const app = await create(module);
    configure(app);
    await app.init();

    expect((await app.inject({ url: '/things/versioned' })).headers['x-signed']).toBe('yes');
    await app.close();
  });
});

async function create(module: Type<unknown>): Promise<NestFastifyApplication> {
  const logger = createLogger({ level: 'silent' });
  const adapter = createFastifyAdapter({ bodyLimitBytes: 1_000, trustProxy: false, logger, protectedPrefixes: [], jsonPrefixes: [] });
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, { bodyParser: false, logger: false, abortOnError: false });
  app.useGlobalFilters(new ErrorFilter(logger));
  adapter.admit({ corsOrigins: [], authenticate: () => undefined, checkOf: (check) => app.get(check) });
  return app;
}
