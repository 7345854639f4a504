import type { NestFastifyApplication } from '@nestjs/platform-fastify';

/** A file of a page, held in memory. */
export interface PageFile {
  readonly contentType: string;
  readonly content: Buffer;
}

/** A page that is made of files of this machine alone. */
export interface LocalPage {
  /** Its files by their paths. */
  readonly files: ReadonlyMap<string, PageFile>;
  /** Its Content-Security-Policy: what it may load and where from. */
  readonly policy: string;
}

export const HTML = 'text/html; charset=utf-8';
export const JAVASCRIPT = 'text/javascript; charset=utf-8';
export const CSS = 'text/css; charset=utf-8';

/** Serves a page. Call it before the application is initialised. */
export function serveLocalPage(app: NestFastifyApplication, { files, policy }: LocalPage): void {
  const server = app.getHttpAdapter().getInstance();
  // A route for each file, so that no path can name another one.
  for (const [path, { contentType, content }] of files) {
    server.get(path, { config: { access: 'public' } }, (_request, reply) =>
      reply.type(contentType).header('content-security-policy', policy).send(content),
    );
  }
}
