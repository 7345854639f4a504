import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { serveLocalPage } from '#libs/operations';
import { graphiqlPolicy, readGraphiqlFiles } from './graphiql-page.js';

/** Serves GraphiQL at `/graphiql`. Call it before the application is initialised. */
export function installGraphiql(app: NestFastifyApplication): void {
  serveLocalPage(app, { files: readGraphiqlFiles(), policy: graphiqlPolicy });
}
