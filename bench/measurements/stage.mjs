import { createFolder, ServiceDatabase, startService } from '../contestants/service.mjs';
import { animalLines } from '../fixtures/animals.mjs';
import { analyze, createPostgresDatabase } from '../contestants/postgres.mjs';

export const ANIMALS = 1_000;

/** A running service on a database of its own with a number of animals, and what has to be cleared away afterwards. */
export class Stage {
  servers = [];

  static async open({ kind = 'sqlite', animals = ANIMALS, postgres, root } = {}) {
    const stage = new Stage();
    stage.folder = await createFolder();
    stage.kind = kind;
    stage.label = kind === 'sqlite' ? 'SQLite' : 'PostgreSQL';
    if (kind === 'postgres') stage.postgres = await createPostgresDatabase(postgres);
    stage.database = new ServiceDatabase(stage.folder, stage.postgres?.url, root);
    await stage.database.command('db', 'migrate');
    stage.key = await stage.database.createKey();
    stage.imported = await stage.import(animalLines(animals));
    return stage;
  }

  get headers() {
    return { authorization: `Bearer ${this.key}` };
  }

  /** Adds animals. PostgreSQL's planner is told how many there are, which autovacuum does within a minute. */
  async import(lines) {
    const summary = await this.database.import(lines);
    if (this.postgres) await analyze(this.postgres.url);
    return summary;
  }

  /** Starts the service, or a variant of it, on the stage's database. */
  async serve(options) {
    return this.add(startService(this.database, options).then((server) => ({ ...server, database: this.postgres?.url })));
  }

  async add(starting) {
    const server = await starting;
    this.servers.push(server);
    return server;
  }

  async close() {
    await Promise.all(this.servers.map((server) => server.stop()));
    await this.postgres?.drop();
    await this.folder.remove();
  }
}

/**
 * A measurement on SQLite and the same one on PostgreSQL.
 * @param measure is given what a stage is to be opened with, and the options
 */
export function onBoth(name, measure) {
  return [
    { name, needsPostgres: false, run: (options) => measure({ kind: 'sqlite' }, options) },
    {
      name: `${name}-postgres`,
      needsPostgres: true,
      run: (options) => measure({ kind: 'postgres', postgres: options.postgres }, options),
    },
  ];
}

/** Opens a stage, has `work` done on it and clears it away, whatever comes of it. */
export async function onStage(options, work) {
  const stage = await Stage.open(options);
  try {
    return await work(stage);
  } finally {
    await stage.close();
  }
}
