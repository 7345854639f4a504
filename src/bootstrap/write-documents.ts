import 'reflect-metadata';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { format, resolveConfig } from 'prettier';
import { buildOpenApiDocument, renderOpenApiDocument } from '#libs/http';
import { apiDescription } from './api-description.js';
import { contributions } from './composition.js';
import { loadConfiguration, type Configuration } from '../config/index.js';
import { getServiceAdapter } from './configure-app.js';
import { createApp } from './create-app.js';
import { readSources, renderEventCatalog } from './documents/index.js';
import { renderSchema } from '../graphql/index.js';

/** The root of the source; this file runs compiled. */
const projectRoot = join(import.meta.dirname, '..', '..');

/** The committed documents that are made from the application, by path. */
const documents: Readonly<Record<string, (app: NestFastifyApplication, configuration: Configuration) => string>> = {
  'docs/openapi.json': (app, configuration) =>
    renderOpenApiDocument(buildOpenApiDocument(getServiceAdapter(app).routes, apiDescription(configuration))),
  'docs/events.md': () => renderEventCatalog(contributions, readSources(projectRoot, 'src')),
  'schema.graphql': (app) => renderSchema(app),
};

// All are made before the first is written: if one cannot be made, all stay as they are.
const made = await makeDocuments();
if (process.argv.includes('--check')) await reportDifferences(made);
else for (const [path, text] of made) await writeFile(path, text);

async function makeDocuments(): Promise<ReadonlyMap<string, string>> {
  const folder = await mkdtemp(join(tmpdir(), 'adoption-documents-'));
  const configuration = loadConfiguration({ DATABASE_URL: `sqlite:${join(folder, 'empty.sqlite')}`, LOG_LEVEL: 'silent' });
  try {
    const app = await createApp(configuration);
    const rendered = Object.entries(documents).map(([path, render]) => [path, render(app, configuration)] as const);
    await app.close();
    return new Map(await Promise.all(rendered.map(async ([path, text]) => [path, await formatLike(path, text)] as const)));
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function formatLike(path: string, text: string): Promise<string> {
  return format(text, { ...(await resolveConfig(path, { editorconfig: true })), filepath: path });
}

async function reportDifferences(made: ReadonlyMap<string, string>): Promise<void> {
  for (const [path, text] of made) {
    if ((await readFile(path, 'utf8').catch(() => undefined)) === text) continue;
    process.stderr.write(`${path} is not what the application makes: "npm run documents" writes it.\n`);
    process.exitCode = 1;
  }
}
