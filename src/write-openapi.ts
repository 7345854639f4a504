import 'reflect-metadata';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { apiDescription } from './api-description.js';
import { loadConfiguration } from './config/index.js';
import { serviceAdapterOf } from './configure-app.js';
import { createApp } from './create-app.js';
import { buildOpenApiDocument, renderOpenApiDocument } from '#libs/openapi';

const TARGET = 'docs/openapi.json';

// The application is only looked at; what it needs of a database lives for that long.
const folder = await mkdtemp(join(tmpdir(), 'adoption-openapi-'));
try {
  const configuration = loadConfiguration({ DATABASE_URL: `sqlite:${join(folder, 'empty.sqlite')}`, LOG_LEVEL: 'silent' });
  const app = await createApp(configuration);
  await writeFile(TARGET, renderOpenApiDocument(buildOpenApiDocument(app, serviceAdapterOf(app).routes, apiDescription(configuration))));
  await app.close();
} finally {
  await rm(folder, { recursive: true });
}
