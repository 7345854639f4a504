import { Body, Controller, Get, Header, HttpCode, Module, Param, Post, Put, Req, Res } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LosslessNumber } from 'lossless-json';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import { ApplicationError, createLogger, NestLogger, setSecretPattern } from '#libs/observability';
import { createFastifyAdapter } from '../server/server.js';
import { ErrorFilter } from '../errors/error.filter.js';
import { shedLoad } from '../overload/load-shedder.js';
import { readTexts } from '../input/read-request.js';
import { setHandlerMetadata } from '../routes/route-metadata.js';
import type { CountUnreadable } from '../server/raw-errors.js';
import { KnownNotes, SampleNotesController } from './sample-notes.controller.js';
import type { Connections } from '../server/connections.js';

export const BODY_LIMIT = 1_000;
export const REQUEST_TIMEOUT = 300;
export const IDLE_TIMEOUT = 600;
export const SHOP = 'https://shop.example';
export const COUNTED = { headers: { 'x-ratelimit-limit': 'raw' } };
/** Milliseconds that some answers take, by the id of their thing. */
const DELAYS: Readonly<Record<string, number>> = { slow: 50, slower: REQUEST_TIMEOUT + 200 };
/** Bytes of some answers, by the id of their thing; a large one is more than the buffers of a connection hold. */
const SIZES: Readonly<Record<string, number>> = { considerable: 1 << 20, large: 32 << 20 };
const KEY = 'Bearer key';

const held: (() => void)[] = [];

/** Releases the waiting responses of the thing `held`. */
export function releaseHeld(): void {
  for (const goOn of held.splice(0)) goOn();
}

@setHandlerMetadata({ access: 'key' })
@Controller()
class ThingsController {
  @Get('v1/things')
  list(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): unknown {
    const { page } = readTexts(request.query, ['page']);
    if (page !== undefined) reply.header('Link', `</v1/things?page=${page}>; rel="next"`);
    return [{ id: 9223372036854775807n, name: 'Ana' }];
  }

  @Get('v1/things/:id')
  @Header('Deprecation', '@1')
  async get(@Param('id') id: string): Promise<unknown> {
    const [delay, size] = [DELAYS[id], SIZES[id]];
    if (delay !== undefined) await new Promise((resolve) => setTimeout(resolve, delay));
    if (id === 'held') await new Promise<void>((goOn) => held.push(goOn));
    if (size !== undefined) return { id: 'x'.repeat(size) };
    if (id === 'broken') throw Object.assign(new Error('the query adopt_dev_secret failed'), { parameters: ['a secret'] });
    return { id };
  }

  @Post('v1/things')
  add(@Body() body: Readonly<Record<string, unknown>> | undefined): unknown {
    if (typeof body !== 'object') throw new ApplicationError('invalid_request', 'The body must be a JSON object.');
    return { given: body, isKept: Object.values(body).some((value) => value instanceof LosslessNumber) };
  }

  @Get('docs')
  @setHandlerMetadata({ access: 'public' })
  docs(): string {
    return 'documentation';
  }

  @Put('internal')
  @HttpCode(204)
  internal(): void {}
}

@Module({ controllers: [ThingsController, SampleNotesController], providers: [KnownNotes] })
class SampleModule {}

export interface SampleApp {
  readonly app: NestFastifyApplication;
  readonly port: number;
  readonly connections: Connections;
  /** The lines of the log. */
  readonly lines: Record<string, unknown>[];
  /** The results of malformed requests, with their lengths. */
  readonly unreadable: { verdict: ReturnType<CountUnreadable>; counted: number };
  /** What the hooks saw, such as `limit GET`. */
  readonly hooks: string[];
}

export interface SampleOptions {
  /** How many requests of an operation may be in progress; default: any number. */
  readonly mostInProgress?: number;
}

/** A listening application with few routes; `Authorization: Bearer key` is its one key, `X-Over-Limit` gets 429. */
export async function startSampleApp({ mostInProgress = Infinity }: SampleOptions = {}): Promise<SampleApp> {
  const lines: Record<string, unknown>[] = [];
  const hooks: string[] = [];
  const unreadable: SampleApp['unreadable'] = { verdict: COUNTED, counted: 0 };
  const destination = new Writable({
    write(chunk, _encoding, done) {
      lines.push(JSON.parse(String(chunk)) as Record<string, unknown>);
      done();
    },
  });
  setSecretPattern(/adopt_[A-Za-z0-9_%-]*/gi);
  const logger = createLogger({ level: 'info', destination });
  const adapter = createFastifyAdapter({
    bodyLimitBytes: BODY_LIMIT,
    trustProxy: false,
    logger,
    requestTimeoutMilliseconds: REQUEST_TIMEOUT,
    idleTimeoutMilliseconds: IDLE_TIMEOUT,
    protectedPrefixes: ['/v1', '/graphql'],
    jsonPrefixes: ['/v1'],
  });
  const app = await NestFactory.create<NestFastifyApplication>(SampleModule, adapter, {
    bodyParser: false,
    logger: new NestLogger(logger),
  });
  app.useGlobalFilters(new ErrorFilter(logger));
  const nobody = { run: () => undefined, recognise: () => undefined };
  const shed = shedLoad({ mostInProgress: () => mostInProgress, logger }, nobody, () => undefined);
  adapter.admit({
    corsOrigins: [SHOP],
    authenticate: (request, reply) => {
      void shed(request);
      limit(hooks, request, reply);
      return authenticate(hooks, request);
    },
    getCheck: (check) => app.get(check),
    now: () => new Date(),
    countUnreadable: () => {
      unreadable.counted += 1;
      return unreadable.verdict;
    },
  });
  await app.listen(0, '127.0.0.1');
  const { port } = app.getHttpServer().address() as AddressInfo;
  return { app, port, connections: adapter.connections, lines, hooks, unreadable };
}

function limit(hooks: string[], request: FastifyRequest, reply: FastifyReply): void {
  hooks.push(`limit ${request.method}`);
  reply.header('x-ratelimit-limit', 'plan');
  if (request.headers['x-over-limit']) {
    throw new ApplicationError('rate_limited', 'Too many requests.', { headers: { 'retry-after': '1' } });
  }
}

async function authenticate(hooks: string[], request: FastifyRequest): Promise<void> {
  await Promise.resolve();
  hooks.push(`authenticate ${request.method}`);
  if (request.headers.authorization !== KEY) {
    throw new ApplicationError('unauthorized', 'Missing key.', { headers: { 'www-authenticate': 'Bearer' } });
  }
  Object.assign(request, { caller: { keyId: 7n } });
}
