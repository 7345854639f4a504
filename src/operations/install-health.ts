import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Health } from '#libs/operations';

const NOT_KEPT = { 'cache-control': 'no-store' };

/**
 * Serves `/health/live`, which looks at nothing but this process, and `/health/ready`. Both tell a status alone: who may see
 * the parts asks the management port. Call it before the application is initialised.
 */
export function installHealth(app: NestFastifyApplication): void {
  const server = app.getHttpAdapter().getInstance();
  const health = app.get(Health);
  server.get('/health/live', { config: { access: 'public' } }, (_request, reply) => reply.headers(NOT_KEPT).send({ status: 'live' }));
  server.get('/health/ready', { config: { access: 'public' } }, async (_request, reply) => {
    const { status } = await health.report();
    return reply
      .code(status === 'ready' ? 200 : 503)
      .headers(NOT_KEPT)
      .send({ status });
  });
}
