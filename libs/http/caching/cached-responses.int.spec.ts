import { Controller, Get, Header, Param, Req, Res, UsePipes } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import fc from 'fast-check';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Deprecated } from '../routes/deprecated.decorator.js';
import { CacheByProjection, setHandlerMetadata } from '../routes/route-metadata.js';
import { EnhancedHandlers, EnhancedHandlersModule } from './enhanced-handlers.js';
import { createControllersApp } from '../testing/controllers-app.js';

const START = new Date('2026-01-01T00:00:00Z');
const UNTIL = new Date('2030-01-01T00:00:00Z');
const LARGE = 'x'.repeat(1_000_000);

/** What the responses are made from, and which were. */
const words = { revision: 1n, text: 'one', made: [] as string[], beforeResponse: (): Promise<void> | void => undefined };
let now = START;

@setHandlerMetadata({ access: 'key' })
@Controller()
class WordsController {
  @Get('v1/words')
  @CacheByProjection({ readModel: 'words' })
  @Header('Deprecation', '@1')
  async list(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<unknown> {
    words.made.push(`${request.method} ${request.url}`);
    const { text } = words;
    await words.beforeResponse();
    reply.header('Link', `</v1/words?after=${text}>; rel="next"`);
    return [text, words.revision];
  }

  @Get('v1/words/:word')
  @CacheByProjection({ readModel: 'words' })
  @Deprecated({ since: new Date(0), sunset: UNTIL, successor: '/v1/words', instead: 'use the list' })
  get(@Req() request: FastifyRequest, @Param('word') word: string): unknown {
    words.made.push(request.url);
    return word.startsWith('large') ? LARGE : word;
  }

  @Get('v1/piped')
  @CacheByProjection({ readModel: 'words' })
  @UsePipes({ transform: (value: unknown) => value })
  piped(@Req() request: FastifyRequest): void {
    words.made.push(request.url);
  }

  /** A key with the scope `all` sees everything, another one only what is its own, which is nothing for all but key 1. */
  @Get('v1/letters')
  @CacheByProjection({ readModel: 'words', perKey: true })
  letters(@Req() request: FastifyRequest): unknown {
    const keyId = String(request.headers['x-caller']);
    const { scopes = [] } = request;
    words.made.push([request.url, keyId, ...scopes].join(' '));
    return keyId === '1' || scopes.includes('all') ? [{ id: 1 }] : [];
  }
}

function change(text: string): void {
  words.text = text;
  words.revision += 1n;
}

describe('responses of a route that are cached while its read model does not change', () => {
  let app: NestFastifyApplication;
  let origin: string;
  beforeAll(async () => {
    ({ app } = await createControllersApp(
      { imports: [EnhancedHandlersModule], controllers: [WordsController] },
      {
        authenticate: (request, reply) => {
          const caller = String(request.headers['x-caller'] ?? 0);
          reply.header('x-caller', caller);
          Object.assign(request, { caller: { keyId: BigInt(caller) } });
          request.scopes = String(request.headers['x-scopes'] ?? 'own').split(' ');
        },
        now: () => now,
        cached: {
          readModels: { revision: () => Promise.resolve(words.revision) },
          enhanced: { include: (declaration) => app.get(EnhancedHandlers).include(declaration) },
        },
      },
    ));
    await app.listen(0, '127.0.0.1');
    origin = await app.getUrl();
  });
  beforeEach(() => {
    change('one');
    now = START;
    Object.assign(words, { made: [], beforeResponse: () => undefined });
  });
  afterAll(() => app.close());

  const ask = (path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') => fetch(origin + path, { method, headers });
  const tagOf = (response: Response) => response.headers.get('etag') ?? '';

  it('are made once and sent again with all headers of the handler, and with those of the request only', async () => {
    const [first, second] = [await ask('/v1/words', { 'x-caller': '1' }), await ask('/v1/words', { 'x-caller': '2' })];
    expect(words.made).toEqual(['GET /v1/words']);
    expect(await second.text()).toBe(await first.text());
    for (const name of ['content-type', 'content-length', 'etag', 'link', 'deprecation', 'cache-control']) {
      expect(second.headers.get(name)).toBe(first.headers.get(name));
    }
    expect([first, second].map(({ headers }) => headers.get('x-caller'))).toEqual(['1', '2']);
    expect(second.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'));
  });

  it('are never older than the last change before the request, whatever overlaps', async () => {
    const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
    const askFor = async (path: string, atLeast: bigint) => {
      const [, revision] = (await (await ask(path)).json()) as [string, number];
      expect(revision).toBeGreaterThanOrEqual(Number(atLeast));
    };
    const step = fc.constantFrom('change', '/v1/words', '/v1/words?a', '/v1/words?b');
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        words.beforeResponse = turn;
        const answers: Promise<void>[] = [];
        for (const each of steps) {
          if (each === 'change') change(`word ${words.revision}`);
          else answers.push(askFor(each, words.revision));
          await turn();
        }
        await Promise.all(answers);
      }),
      { numRuns: 20 },
    );
  });

  it('belong to one URL and to GET', async () => {
    await ask('/v1/words');
    await ask('/v1/words?page=1');
    const head = await ask('/v1/words', {}, 'HEAD');
    expect([head.status, head.headers.get('link')]).toEqual([200, '</v1/words?after=one>; rel="next"']);
    expect(words.made).toEqual(['GET /v1/words', 'GET /v1/words?page=1', 'HEAD /v1/words']);
  });

  it('are 304 for a client that has them, also the first time', async () => {
    const tag = tagOf(await ask('/v1/words'));
    const again = await ask('/v1/words', { 'if-none-match': tag });
    expect([again.status, await again.text(), tagOf(again), again.headers.get('deprecation')]).toEqual([304, '', tag, '@1']);
    change(words.text);
    await ask('/v1/words?new', { 'if-none-match': '*' });
    const content = await ask('/v1/words?new');
    expect([content.status, await content.json()]).toEqual([200, ['one', Number(words.revision)]]);
    expect(words.made.filter((made) => made.endsWith('?new'))).toHaveLength(1);
  });

  it('are refused for a client that relies on others, also the first time', async () => {
    const relying = async (tag: string) => (await ask('/v1/words', { 'if-match': tag })).status;
    expect([await relying('"x"'), await relying('"x"')]).toEqual([412, 412]);
    const cached = await ask('/v1/words');
    expect([cached.status, await cached.json()]).toEqual([200, ['one', Number(words.revision)]]);
    const tag = tagOf(cached);
    expect([await relying(tag), await relying('*'), await relying(`W/${tag}`)]).toEqual([200, 200, 412]);
    expect(words.made).toHaveLength(1);
    change('two');
    expect(await relying(tag)).toBe(412);
  });

  it('are made each time where a pipe has to run', async () => {
    for (let time = 0; time < 2; time++) await ask('/v1/piped');
    expect(words.made).toHaveLength(2);
  });

  it('have the headers of a deprecated route, and are not sent from its end on', async () => {
    for (const moment of [START, new Date(UNTIL.getTime() - 1), UNTIL]) {
      now = moment;
      const { status, headers } = await ask('/v1/words/a');
      expect([status, headers.get('deprecation'), headers.get('sunset')]).toEqual([
        moment === UNTIL ? 410 : 200,
        '@0',
        UNTIL.toUTCString(),
      ]);
      expect(words.made).toHaveLength(1);
    }
  });

  it('take no more than 16 MB, and those made last stay', async () => {
    const paths = Array.from({ length: 20 }, (_, index) => `/v1/words/large${index}`);
    for (const path of [...paths, ...paths.slice(5), ...paths.slice(0, 1)]) await (await ask(path)).arrayBuffer();
    expect(words.made).toEqual([...paths, ...paths.slice(0, 1)]);
  });

  it('are made once for each key and what it may do, and never given to another, where they are cached per key', async () => {
    const read = async (key: string, scopes = 'own') => (await ask('/v1/letters', { 'x-caller': key, 'x-scopes': scopes })).text();
    for (let round = 0; round < 2; round++) {
      const read4 = [await read('1'), await read('2'), await read('2', 'own all'), await read('2')];
      expect(read4).toEqual(['[{"id":1}]', '[]', '[{"id":1}]', '[]']);
    }
    expect(words.made).toEqual(['/v1/letters 1 own', '/v1/letters 2 own', '/v1/letters 2 own all']);
  });
});
