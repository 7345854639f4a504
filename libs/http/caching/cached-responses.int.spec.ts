import { Controller, Get, Header, Param, Req, Res } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import fc from 'fast-check';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CacheByProjection, setHandlerMetadata } from '../routes/route-metadata.js';
import type { AdmissionPolicy } from '../server/service-adapter.js';
import { createControllersApp } from '../testing/controllers-app.js';

const UNTIL = new Date('2030-01-01T00:00:00Z');
const LARGE = 'x'.repeat(1_000_000);

/** What the responses are made from, and how often they were. */
const words = { revision: 1n, text: 'one', made: [] as string[], beforeResponse: (): Promise<void> | void => undefined };
let now = new Date('2026-01-01T00:00:00Z');

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
  @setHandlerMetadata({ deprecation: { since: new Date(0), sunset: UNTIL, successor: '/v1/words', instead: 'use the list' } })
  get(@Req() request: FastifyRequest, @Param('word') word: string): unknown {
    words.made.push(request.url);
    return word.startsWith('large') ? LARGE : word;
  }
}

let app: NestFastifyApplication;
let origin: string;

beforeAll(async () => {
  const admission: Partial<AdmissionPolicy> = {
    authenticate: (request, reply) => void reply.header('x-caller', String(request.headers['x-caller'])),
    cached: { getRevision: () => Promise.resolve(words.revision), now: () => now },
  };
  ({ app } = await createControllersApp({ controllers: [WordsController] }, admission));
  await app.listen(0, '127.0.0.1');
  origin = await app.getUrl();
});

beforeEach(() => {
  change('one');
  words.made = [];
  words.beforeResponse = () => undefined;
});

afterAll(() => app.close());

function change(text: string): void {
  words.text = text;
  words.revision += 1n;
}

function ask(path: string, options: RequestInit = {}): Promise<Response> {
  return fetch(origin + path, options);
}

/** The answer is of this revision or a later one. */
async function askFor(path: string, atLeast: bigint): Promise<void> {
  const [, revision] = (await (await ask(path)).json()) as [string, number];
  expect(revision).toBeGreaterThanOrEqual(Number(atLeast));
}

describe('responses of a route that are cached while its read model does not change', () => {
  it('are made once and sent again with all headers of the handler, and with those of the request only', async () => {
    const [first, second] = [
      await ask('/v1/words', { headers: { 'x-caller': 'a' } }),
      await ask('/v1/words', { headers: { 'x-caller': 'b' } }),
    ];
    expect(words.made).toEqual(['GET /v1/words']);
    expect(await second.text()).toBe(await first.text());
    for (const name of ['content-type', 'content-length', 'etag', 'link', 'deprecation', 'cache-control']) {
      expect(second.headers.get(name)).toBe(first.headers.get(name));
    }
    expect([first.headers.get('x-caller'), second.headers.get('x-caller')]).toEqual(['a', 'b']);
    expect(second.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'));
  });

  it('are made again if it changed while they were made', async () => {
    words.beforeResponse = () => change('two');
    await ask('/v1/words');
    words.beforeResponse = () => undefined;
    expect(await (await ask('/v1/words')).json()).toEqual(['two', Number(words.revision)]);
  });

  it('are never older than the last change before the request, whatever overlaps', async () => {
    const step = fc.constantFrom('change', '/v1/words', '/v1/words?a', '/v1/words?b');
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        words.beforeResponse = () => new Promise((resolve) => setImmediate(resolve));
        const answers: Promise<void>[] = [];
        for (const each of steps) {
          const atLeast = words.revision;
          if (each === 'change') change(`word ${words.revision}`);
          else answers.push(askFor(each, atLeast));
          await new Promise((resolve) => setImmediate(resolve));
        }
        await Promise.all(answers);
      }),
      { numRuns: 20 },
    );
  });

  it('belong to one URL', async () => {
    await ask('/v1/words');
    await ask('/v1/words?page=1');
    expect(words.made).toEqual(['GET /v1/words', 'GET /v1/words?page=1']);
  });

  it('are 304 for a client that has them, also the first time', async () => {
    const tag = (await ask('/v1/words')).headers.get('etag') ?? '';
    const again = await ask('/v1/words', { headers: { 'if-none-match': tag } });
    expect([again.status, await again.text(), again.headers.get('etag'), again.headers.get('deprecation')]).toEqual([304, '', tag, '@1']);
    change(words.text);
    await ask('/v1/words?new', { headers: { 'if-none-match': '*' } });
    const content = await ask('/v1/words?new');
    expect([content.status, await content.json()]).toEqual([200, ['one', Number(words.revision)]]);
    expect(words.made.filter((made) => made.endsWith('?new'))).toHaveLength(1);
  });

  it('are refused for a client that relies on others, also the first time', async () => {
    const relying = (tag: string, path = '/v1/words') => ask(path, { headers: { 'if-match': tag } });
    expect([(await relying('"x"')).status, (await relying('"x"')).status]).toEqual([412, 412]);
    const cached = await ask('/v1/words');
    expect([cached.status, await cached.json()]).toEqual([200, ['one', Number(words.revision)]]);
    const tag = cached.headers.get('etag') ?? '';
    expect([(await relying(tag)).status, (await relying('*')).status, (await relying(`W/${tag}`)).status]).toEqual([200, 200, 412]);
    expect(words.made).toHaveLength(1);
    change('two');
    expect((await relying(tag)).status).toBe(412);
  });

  it('are not cached for HEAD, nor for a request with a body', async () => {
    await ask('/v1/words');
    const head = await ask('/v1/words', { method: 'HEAD' });
    expect([head.status, head.headers.get('link'), words.made]).toEqual([
      200,
      '</v1/words?after=one>; rel="next"',
      ['GET /v1/words', 'HEAD /v1/words'],
    ]);
  });

  it('are not sent from the end of the route on', async () => {
    await ask('/v1/words/a');
    now = new Date(UNTIL.getTime() - 1);
    await ask('/v1/words/a');
    expect(words.made).toHaveLength(1);
    now = UNTIL;
    await ask('/v1/words/a');
    expect(words.made).toHaveLength(2);
    now = new Date('2026-01-01T00:00:00Z');
  });

  it('take no more than 16 MB, and those made last stay', async () => {
    const paths = Array.from({ length: 20 }, (_, index) => `/v1/words/large${index}`);
    for (const path of [...paths, ...paths.slice(5), ...paths.slice(0, 1)]) await (await ask(path)).arrayBuffer();
    expect(words.made).toEqual([...paths, ...paths.slice(0, 1)]);
  });
});
