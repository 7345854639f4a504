import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { installGuides } from './install-guides.js';

@Module({})
class EmptyModule {}

const ERROR = { code: 'tea_cold', status: 409, description: 'The `tea` is <cold>.', remedy: 'Heat it.' };

describe('the guides', () => {
  let app: NestFastifyApplication;
  let origin: string;

  beforeAll(async () => {
    app = await NestFactory.create<NestFastifyApplication>(EmptyModule, new FastifyAdapter(), { logger: false });
    installGuides(app, { errors: [ERROR] });
    await app.listen(0, '127.0.0.1');
    origin = await app.getUrl();
  });

  afterAll(() => app.close());

  it.each(['/docs', '/docs/', '/docs/guides/orders', '/docs/errors', '/docs/changelog'])(
    'let the page %s load nothing but files of the service',
    async (path) => {
      const answer = await fetch(origin + path);
      expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self'; style-src 'self';");
      expect(await answer.text()).not.toMatch(/<script(?![^>]* src=)|<style|\sstyle=|\son\w+=/);
    },
  );

  it('explain the codes of modules as text', async () => {
    const text = await (await fetch(`${origin}/docs/errors`)).text();
    expect(text).toMatch(/<section id="tea_cold"[^]*The <code>tea<\/code> is &lt;cold&gt;\./);
  });

  it.each(['/docs/index.html', '/docs/index', '/docs/guides', '/docs/../package.json', '/docs/%2e%2e%2fpackage.json'])(
    'have no %s',
    async (path) => {
      expect((await fetch(origin + path)).status).toBe(404);
    },
  );
});
