import { Controller, Get, Param, Req } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';
import { CacheByProjection } from '../routes/route-metadata.js';
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
  list(@Req() request: FastifyRequest): unknown {
    const { keyId, scopes } = note(request);
    return keyId === '1' || scopes.includes('all') ? [{ id: 1 }] : [];
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

async function ask(key: number, path: string, headers: Readonly<Record<string, string>> = {}) {
  const response = await fetch(`${origin}/v1/letters${path}`, { headers: { 'x-key': String(key), ...headers } });
  return { status: response.status, tag: response.headers.get('etag') ?? '', body: await response.text() };
}

describe('responses that are cached per key', () => {
  it('are made once for each key and what it may do, and never given to another', async () => {
    for (let round = 0; round < 2; round++) {
      expect((await ask(1, '')).body).toBe('[{"id":1}]');
      expect((await ask(2, '')).body).toBe('[]');
      expect((await ask(2, '', { 'x-scopes': 'own all' })).body).toBe('[{"id":1}]');
      expect((await ask(2, '')).body).toBe('[]');
    }
    expect(made).toEqual(['/v1/letters 1 own', '/v1/letters 2 own', '/v1/letters 2 own all']);
  });

  it('have the tag of their content if they are a single thing, whichever key asks', async () => {
    const [first, second] = [await ask(1, '/7'), await ask(2, '/7')];
    expect(first.tag).toBe(second.tag);
    expect(await ask(2, '/7', { 'if-match': first.tag })).toMatchObject({ status: 200 });
    expect(await ask(2, '/7', { 'if-none-match': first.tag })).toMatchObject({ status: 304 });
    expect(made).toEqual(['/v1/letters/7 1 own', '/v1/letters/7 2 own']);
  });
});
