import 'reflect-metadata';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NestFactory } from '@nestjs/core';
import { CommandBus } from '@nestjs/cqrs';
import { createLogger } from '../dist/libs/api-kit/index.js';
import { AppModule } from '../dist/src/app.module.js';
import { AuthenticationStep, IssueApiKey } from '../dist/src/auth/index.js';
import { loadConfiguration } from '../dist/src/config/index.js';
import { configureApp, createAdapter } from '../dist/src/configure-app.js';
import { AddPet } from '../dist/src/pets/commands/add-pet.command.js';
import { RateLimitStep } from '../dist/src/rate-limiting/index.js';

/** The built service, `with` authentication and rate limits or `without`; it tells its parent where it listens. */
const [variant] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'adoption-bench-'));
process.on('SIGTERM', () => process.exit());
process.on('exit', () => rmSync(folder, { recursive: true }));
const configuration = loadConfiguration({ DATABASE_URL: `sqlite:${join(folder, 'adoption.sqlite')}` });
const logger = createLogger({ level: 'error' });

const { bodyLimitBytes, trustProxy } = configuration;
const app = await NestFactory.create(
  AppModule.forRoot(configuration, { purpose: 'service', graphqlLogger: logger }),
  createAdapter({ bodyLimitBytes, trustProxy, logger }),
  { bodyParser: false, logger: ['error'] },
);
const authentication = app.get(AuthenticationStep);
const authenticate = app.get(RateLimitStep).around((request) => authentication.run(request));
configureApp(app, { logger, corsOrigins: [], authenticate: variant === 'with' ? authenticate : () => undefined });
await app.listen(0, '127.0.0.1');

const commands = app.get(CommandBus);
const metadata = { actor: 'system' };
const statuses = ['available', 'pending', 'sold'];
await Promise.all(
  Array.from({ length: 1_000 }, (_, index) =>
    commands.execute(new AddPet({ name: `Animal ${index}`, categoryId: BigInt(index % 20), status: statuses[index % 3] }, metadata)),
  ),
);
const { key } = await commands.execute(
  new IssueApiKey({
    name: 'bench',
    plan: 'enterprise',
    perMinute: 1_000_000_000,
    perDay: 1_000_000_000,
    scopes: ['pets', 'graphql'],
    metadata,
  }),
);
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send({ processorSeconds: (user + system) / 1e6 });
});
process.send({ origin: await app.getUrl(), key });
