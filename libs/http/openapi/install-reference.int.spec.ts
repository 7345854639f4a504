import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { installReference } from './install-reference.js';

const SERVICE = {
  title: 'Things',
  description: '',
  version: '1.0.0',
  credential: 'A key.',
  challenge: 'Bearer realm="things"',
  keyVariable: 'THING_KEY',
  clientPackage: '@own/client',
  sampleServer: 'https://api.example/v1',
  servers: {},
  tags: [],
  errors: [],
  prefix: '/v1',
};

@Module({})
class EmptyModule {}

describe('the reference', () => {
  let app: NestFastifyApplication;
  let origin: string;

  beforeAll(async () => {
    app = await NestFactory.create<NestFastifyApplication>(EmptyModule, new FastifyAdapter(), { logger: false });
    installReference(app, SERVICE, () => []);
    await app.listen(0, '127.0.0.1');
    origin = await app.getUrl();
  });

  afterAll(() => app.close());

  it('lets the page load nothing but files of the service', async () => {
    const answer = await fetch(`${origin}/docs/reference`);
    expect(answer.headers.get('content-security-policy')).toContain(
      "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline';",
    );
    expect(await answer.text()).not.toMatch(/<script(?![^>]* src=)|<style|\sstyle=|\son\w+=/);
  });

  it.each(['/docs/index.html', '/docs/../package.json', '/docs/%2e%2e%2fpackage.json', '/docs/reference/page.css.map'])(
    'has no %s',
    async (path) => {
      expect((await fetch(origin + path)).status).toBe(404);
    },
  );
});
