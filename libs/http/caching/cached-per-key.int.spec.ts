import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CacheByProjection } from '../routes/route-metadata.js';
import { linkNextPage, PageRequest } from '../pagination/pages.js';
import { ReadQuery } from '../input/read-request.js';
import type { AdmissionPolicy } from '../server/service-adapter.js';
import { createControllersApp } from '../testing/controllers-app.js';

/** The path, the key and the scopes of each response that was made. */
let made: string[] = [];
let revision = 1n;

/** A key with the scope `all` sees everything, another one only what is its own, which is nothing for all but key 1. */
@Controller('v1/letters')
class LettersController {
  @Get()
  @CacheByProjection({ readModel: 'letters', perKey: true })
  list(
    @ReadQuery(PageRequest) page: PageRequest,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): unknown {
    const { keyId, scopes } = note(request);
    if (keyId === '1' || scopes.includes('all')) {
      linkNextPage(reply, page, 1n);
      return [{ id: 1 }];
    }
    return [];
  }

  @Get(':id')
  @CacheByProjection({ readModel: 'letters', perKey: true })
  get(@Param('id') id: string, @Req() request: FastifyRequest): unknown {
    note(request);
    return { id };
  }
}

function note(request: FastifyRequest): { readonly keyId: string; readonly scopes: readonly string[] } {
  const keyId = String(request.headers['x-key']);
  const { scopes } = request.context;
  made.push([request.url, keyId, ...scopes].join(' '));
  return { keyId, scopes };
}

let app: NestFastifyApplication;
let origin: string;

beforeAll(async () => {
  const admission: Partial<AdmissionPolicy> = {
    authenticate: (request) => {
      Object.assign(request, { caller: { keyId: BigInt(String(request.headers['x-key'])) } });
      request.context.scopes = String(request.headers['x-scopes'] ?? 'own').split(' ');
    },
    cached: { getRevision: () => Promise.resolve(revision), now: () => new Date(0) },
  };
  ({ app } = await createControllersApp({ controllers: [LettersController] }, admission));
  await app.listen(0, '127.0.0.1');
  origin = await app.getUrl();
});

beforeEach(() => {
  made = [];
  revision += 1n;
});

afterAll(() => app.close());

interface Asked {
  readonly method?: string;
  readonly scopes?: string;
  readonly ifMatch?: string;
  readonly ifNoneMatch?: string;
}

async function ask(key: number, path: string, { method = 'GET', scopes, ifMatch, ifNoneMatch }: Asked = {}) {
  const headers = new Headers({ 'x-key': String(key) });
  if (scopes !== undefined) headers.set('x-scopes', scopes);
  if (ifMatch !== undefined) headers.set('if-match', ifMatch);
  if (ifNoneMatch !== undefined) headers.set('if-none-match', ifNoneMatch);
  const response = await fetch(`${origin}/v1/letters${path}`, { method, headers });
  return {
    status: response.status,
    tag: response.headers.get('etag') ?? '',
    link: response.headers.get('link'),
    body: await response.text(),
  };
}

describe('responses that are cached per key', () => {
  it('are made once for each key and what it may do, and never given to another', async () => {
    for (let round = 0; round < 2; round++) {
      expect((await ask(1, '')).body).toBe('[{"id":1}]');
      expect((await ask(2, '')).body).toBe('[]');
      expect((await ask(2, '', { scopes: 'own all' })).body).toBe('[{"id":1}]');
      expect((await ask(2, '')).body).toBe('[]');
    }
    expect(made).toEqual(['/v1/letters 1 own', '/v1/letters 2 own', '/v1/letters 2 own all']);
  });

  it.each(['GET', 'HEAD'])("have a tag of the key where they are pages, so that one's never holds for another, by %s", async (method) => {
    const [second, third] = [await ask(2, ''), await ask(3, '')];
    expect([second.body, third.body]).toEqual(['[]', '[]']);
    expect(second.tag).not.toBe(third.tag);
    for (let round = 0; round < 2; round++) {
      expect(await ask(3, '', { method, ifNoneMatch: second.tag })).toMatchObject({ status: 200, tag: third.tag });
      expect(await ask(3, '', { method, ifMatch: second.tag })).toMatchObject({ status: 412, tag: third.tag });
      expect(await ask(3, '', { method, ifNoneMatch: third.tag })).toMatchObject({ status: 304, tag: third.tag });
      expect(await ask(3, '', { method, ifMatch: third.tag })).toMatchObject({ status: 200, tag: third.tag });
      revision += 1n;
    }
  });

  it('have a tag that differs between keys with the same Link too, and for one key with another Link', async () => {
    const [first, second] = [await ask(1, ''), await ask(2, '', { scopes: 'all' })];
    expect(second).toMatchObject({ body: first.body, link: first.link });
    expect(first.link).toContain('rel="next"');
    expect(new Set([first.tag, second.tag, (await ask(1, '?limit=2')).tag]).size).toBe(3);
  });

  it('have the tag of their content where they are a single thing, whichever key asks', async () => {
    const [first, second] = [await ask(1, '/7'), await ask(2, '/7')];
    expect(first.tag).toBe(second.tag);
    expect(await ask(2, '/7', { ifMatch: first.tag })).toMatchObject({ status: 200 });
    expect(await ask(2, '/7', { ifNoneMatch: first.tag })).toMatchObject({ status: 304 });
    expect(made).toEqual(['/v1/letters/7 1 own', '/v1/letters/7 2 own']);
  });
});
