import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { graphiqlPolicy, readGraphiqlFiles } from './graphiql-page.js';

/** Serves GraphiQL at `/graphiql`. Call it before the application is initialised. */
export function installGraphiql(app: NestFastifyApplication): void {
  const server = app.getHttpAdapter().getInstance();
  // A route for each file, so that no path can name another one.
  for (const [path, { contentType, content }] of readGraphiqlFiles()) {
    server.get(path, (_request, reply) => reply.type(contentType).header('content-security-policy', graphiqlPolicy).send(content));
  }
}
