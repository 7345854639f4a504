import { readFileSync } from 'node:fs';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';

/** A file of a page, held in memory. Its content is asked for with each request, so that it may be made once the service is ready. */
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

/** The script with which pages keep an API key: in the tab where it was typed in, and nowhere else. */
export const keptKeyScript = readPageFile(new URL('page/kept-key.mjs', import.meta.url), JAVASCRIPT);

/** Reads a file as the build has it, which `nest-cli.json` names. */
export function readPageFile(location: URL, contentType: string): PageFile {
  return { contentType, content: readFileSync(location) };
}

/** Serves a page. Call it before the application is initialised. */
export function serveLocalPage(app: NestFastifyApplication, { files, policy }: LocalPage): void {
  const server = app.getHttpAdapter().getInstance();
  // A route for each file, so that no path can name another one.
  for (const [path, file] of files) {
    server.get(path, { config: { access: 'public' } }, (_request, reply) =>
      reply.type(file.contentType).header('content-security-policy', policy).send(file.content),
    );
  }
}
