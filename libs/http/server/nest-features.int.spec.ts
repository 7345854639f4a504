import type { ServerResponse } from 'node:http';
import {
  BadRequestException,
  Catch,
  Controller,
  Get,
  Inject,
  Injectable,
  Module,
  NotFoundException,
  ParseIntPipe,
  Post,
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
  type ExecutionContext,
  type MiddlewareConsumer,
  type NestModule,
} from '@nestjs/common';
import { REQUEST } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { map } from 'rxjs';
import { Operation } from '../routes/route-metadata.js';
import { createControllersApp } from '../testing/controllers-app.js';

@Catch(NotFoundException)
class OwnFilter {
  catch(_thrown: unknown, host: ArgumentsHost): void {
    void host.switchToHttp().getResponse<FastifyReply>().code(404).send({ own: true });
  }
}

@Injectable({ scope: Scope.REQUEST })
class RequestScoped {
  constructor(@Inject(REQUEST) readonly request: FastifyRequest) {}
}

@Controller('things')
class ThingsController {
  constructor(private readonly scoped: RequestScoped) {}

  @Get('guarded')
  @UseGuards({ canActivate: () => false })
  guarded(): void {}

  @Get('intercepted')
  @UseInterceptors({
    intercept: (_context: ExecutionContext, next: CallHandler) => next.handle().pipe(map((value: unknown) => ({ wrapped: value }))),
  })
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

  @Get('request-scoped')
  requestScoped(): object {
    return { url: this.scoped.request.url };
  }

  @Get('several')
  several(): never {
    throw new BadRequestException(['one', 'two']);
  }

  @Get('unavailable')
  unavailable(): never {
    throw new ServiceUnavailableException('the reason');
  }

  @Post('accepted')
  @Operation({ id: 'acceptThing', summary: 'Accept', description: 'Accepts.', answer: { status: 202, description: 'It is accepted.' } })
  accepted(): object {
    return {};
  }

  @Version('2')
  @Get('versioned')
  versioned(): number {
    return 2;
  }
}

const setHeader = (name: string) => (_request: unknown, response: ServerResponse, next: () => void) => {
  response.setHeader(name, 'yes');
  next();
};

@Module({})
class MiddlewareModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(setHeader('x-of-module')).forRoutes(ThingsController);
  }
}

describe('what Nest gives a route', () => {
  let app: NestFastifyApplication;
  beforeAll(async () => {
    const metadata = { controllers: [ThingsController], providers: [RequestScoped], imports: [MiddlewareModule] };
    ({ app } = await createControllersApp(metadata));
    app.enableVersioning({ type: VersioningType.URI });
    app.use(setHeader('x-of-application'));
    await app.init();
  });
  afterAll(() => app.close());

  it.each([
    ['guards, with the error of the service', 'guarded', 403, { code: 'insufficient_scope' }],
    ['interceptors', 'intercepted', 200, { wrapped: 1 }],
    ['filters of its own', 'filtered', 404, { own: true }],
    ['pipes', 'piped?n=5', 200, { n: 5 }],
    ['pipes that refuse, with the error of the service', 'piped?n=x', 400, { code: 'invalid_request' }],
    ['providers in the scope of the request', 'request-scoped', 200, { url: '/things/request-scoped' }],
    ['exceptions with several messages', 'several', 400, { code: 'invalid_request', message: 'one; two' }],
    ['exceptions of 5xx as a failure of the service', 'unavailable', 500, { code: 'internal_error' }],
  ])('are %s', async (_what, path, status, body) => {
    const response = await app.inject({ url: `/things/${path}` });
    expect(response.statusCode).toBe(status);
    expect(response.json()).toMatchObject(body);
  });

  it('are the status of its operation, versions in its path and middleware', async () => {
    expect((await app.inject({ method: 'POST', url: '/things/accepted' })).statusCode).toBe(202);
    const { statusCode, headers } = await app.inject({ url: '/v2/things/versioned' });
    expect([statusCode, headers['x-of-module'], headers['x-of-application']]).toEqual([200, 'yes', 'yes']);
  });
});
