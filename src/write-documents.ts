import 'reflect-metadata';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { format, resolveConfig } from 'prettier';
import { buildOpenApiDocument, renderOpenApiDocument } from '#libs/openapi';
import { apiDescription } from './api-description.js';
import { composition, contributions } from './composition.js';
import { loadConfiguration, type Configuration } from './config/index.js';
import { serviceAdapterOf } from './configure-app.js';
import { createApp } from './create-app.js';
import { eventMentions, renderEventCatalog } from './documents/index.js';
import { renderSchema } from './graphql/index.js';

/** Of the source; this file is run compiled. */
const projectRoot = join(import.meta.dirname, '..', '..');

type Render = (app: NestFastifyApplication, configuration: Configuration) => string;

/** What is made from the application and committed, by its path. */
const documents: Readonly<Record<string, Render>> = {
  'docs/openapi.json': (app, configuration) =>
    renderOpenApiDocument(buildOpenApiDocument(serviceAdapterOf(app).routes, apiDescription(configuration))),
  'docs/events.md': () => {
    const types = new Set(composition().events.map(({ type }) => type));
    return renderEventCatalog(contributions, eventMentions(projectRoot, 'src', types));
  },
  'schema.graphql': (app) => renderSchema(app),
};

// All of them are there before the first is written, so that one that cannot be made leaves all as they were.
const made = await makeDocuments();
if (process.argv.includes('--check')) await nameDrifted(made);
else for (const [path, text] of made) await writeFile(path, text);

async function makeDocuments(): Promise<ReadonlyMap<string, string>> {
  // The application is only looked at; what it needs of a database lives for that long.
  const folder = await mkdtemp(join(tmpdir(), 'adoption-documents-'));
  const configuration = loadConfiguration({ DATABASE_URL: `sqlite:${join(folder, 'empty.sqlite')}`, LOG_LEVEL: 'silent' });
  try {
    const app = await createApp(configuration);
    const rendered = Object.entries(documents).map(([path, render]) => [path, render(app, configuration)] as const);
    await app.close();
    return new Map(await Promise.all(rendered.map(async ([path, text]) => [path, await formatted(path, text)] as const)));
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function formatted(path: string, text: string): Promise<string> {
  return format(text, { ...(await resolveConfig(path, { editorconfig: true })), filepath: path });
}

async function nameDrifted(made: ReadonlyMap<string, string>): Promise<void> {
  for (const [path, text] of made) {
    if ((await readFile(path, 'utf8').catch(() => undefined)) === text) continue;
    process.stderr.write(`${path} is not what the application makes: "npm run documents" writes it.\n`);
    process.exitCode = 1;
  }
}
