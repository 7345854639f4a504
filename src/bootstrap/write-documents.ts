import 'reflect-metadata';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { format, getFileInfo, resolveConfig } from 'prettier';
import { buildOpenApiDocument, renderOpenApiDocument } from '#libs/http';
import { apiDescription } from './api-description.js';
import { renderCommands } from './command-documents.js';
import { createDocumentedProgram } from './command-line/index.js';
import { composition, contributions, loadServiceConfiguration } from './composition.js';
import { groupSettings, listSettings, type Configuration } from '../config/index.js';
import { getServiceAdapter } from './configure-app.js';
import { createApp } from './create-app.js';
import { renderErrorCodes } from './error-documents.js';
import { readSources, renderEventCatalog } from './event-catalog.js';
import { replaceGeneratedPart } from './generated-part.js';
import { renderSchema } from '../graphql/index.js';
import { renderEnvironmentExample, renderVariableTables } from './variable-documents.js';

/** The root of the source; this file runs from dist. */
const projectRoot = join(import.meta.dirname, '..', '..', '..');
const sources = readSources(projectRoot, 'src');
const { settings } = composition();

/** The committed documents that are made from the application, by path. */
const documents: Readonly<Record<string, (app: NestFastifyApplication, configuration: Configuration) => string | Promise<string>>> = {
  'docs/openapi.json': (app, configuration) =>
    renderOpenApiDocument(buildOpenApiDocument(getServiceAdapter(app).routes, apiDescription(configuration))),
  'docs/events.md': () => renderEventCatalog(contributions, sources),
  'schema.graphql': (app) => renderSchema(app),
  '.env.example': () => renderEnvironmentExample(listSettings(settings)),
  'docs/configuration.md': () => renderPage('docs/configuration.md', renderVariableTables(groupSettings(settings))),
  'docs/guides/errors.md': (_app, configuration) => {
    const { errors, proxyErrors = [] } = apiDescription(configuration);
    return renderPage('docs/guides/errors.md', renderErrorCodes([...errors, ...proxyErrors]));
  },
  'docs/command-line.md': async () => renderPage('docs/command-line.md', renderCommands(await createDocumentedProgram())),
};

// All are made before the first one is written, so that a failure changes none of them.
const made = await makeDocuments();
if (process.argv.includes('--check')) await reportDifferences(made);
else for (const [path, text] of made) await writeFile(path, text);

async function makeDocuments(): Promise<ReadonlyMap<string, string>> {
  const folder = await mkdtemp(join(tmpdir(), 'adoption-documents-'));
  const configuration = loadServiceConfiguration({ DATABASE_URL: `sqlite:${join(folder, 'empty.sqlite')}`, LOG_LEVEL: 'silent' });
  try {
    const app = await createApp(configuration);
    const rendered = Object.entries(documents).map(async ([path, render]) => {
      return [path, await formatDocument(path, await render(app, configuration))] as const;
    });
    return new Map(await Promise.all(rendered).finally(() => app.close()));
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Renders a page of which only the part after the marker is made from the application. */
async function renderPage(path: string, generated: string): Promise<string> {
  return replaceGeneratedPart(await readFile(path, 'utf8'), generated);
}

async function formatDocument(path: string, text: string): Promise<string> {
  const { inferredParser } = await getFileInfo(path);
  if (inferredParser === null) return text;
  return format(text, { ...(await resolveConfig(path, { editorconfig: true })), filepath: path });
}

async function reportDifferences(made: ReadonlyMap<string, string>): Promise<void> {
  for (const [path, text] of made) {
    if ((await readFile(path, 'utf8').catch(() => undefined)) === text) continue;
    process.stderr.write(`${path} differs from the application: run "npm run documents".\n`);
    process.exitCode = 1;
  }
}
