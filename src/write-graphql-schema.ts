import 'reflect-metadata';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfiguration } from './config/index.js';
import { createApp } from './create-app.js';
import { renderSchema } from './graphql/index.js';

const TARGET = 'schema.graphql';

// The application is only looked at; what it needs of a database lives for that long.
const folder = await mkdtemp(join(tmpdir(), 'adoption-schema-'));
try {
  const app = await createApp(loadConfiguration({ DATABASE_URL: `sqlite:${join(folder, 'empty.sqlite')}`, LOG_LEVEL: 'silent' }));
  await writeFile(TARGET, renderSchema(app));
  await app.close();
} finally {
  await rm(folder, { recursive: true });
}
