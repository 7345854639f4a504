import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeChangedBuild } from '../builds/changed-build.fixture.js';
import { ApiClient, type Answer } from '../e2e/api-client.fixture.js';
import { createWorkingDirectory, runBuilt, startBuiltService, type Finished } from '../e2e/built-service.fixture.js';
import { animals } from '../e2e/command-line.fixture.js';
import { changes } from './next-version.fixture.js';

const KEY = ['keys', 'create', '--name', 'test', '--plan', 'enterprise', '--per-minute', '1000000', '--per-day', '1000000'];
const LARGEST_PAGE = 100;

/** An instance of one of the two builds. */
export interface Instance {
  readonly name: string;
  readonly origin: string;
  readonly key: string;
  readonly client: ApiClient;
  /** Ends it as a deployment does. Resolves with the exit code. */
  stop(): Promise<number | null>;
}

/** One build, on the database that it has in common with the other. */
export interface Build {
  /** Starts an instance that is to be reached by the key of the test. */
  start(): Promise<Instance>;
  /** Runs its start, or a command, to the end. */
  run(program: 'main' | 'cli', ...words: string[]): Promise<Finished>;
}

/** The build of today and one that is newer, on one database of their own. */
export interface TwoBuilds {
  readonly today: Build;
  readonly next: Build;
  /** Adds that many animals by an import of the build of today. */
  addAnimals(count: number): Promise<void>;
}

export async function openTwoBuilds(): Promise<TwoBuilds> {
  const [folder, root] = await Promise.all([createWorkingDirectory(), makeChangedBuild(changes)]);
  let key: string | undefined;
  const build = (name: string, at: string): Build => {
    const run: Build['run'] = (program, ...words) =>
      runBuilt(program, words, { cwd: folder.path, environment: { PORT: '0', LOG_LEVEL: 'silent', LOG_FORMAT: 'pretty' }, root: at });
    return {
      run,
      async start() {
        const service = await startBuiltService(folder.path, { LOG_LEVEL: 'warn' }, at);
        key ??= (JSON.parse((await run('cli', ...KEY, '--scopes', 'pets,graphql')).stdout) as { key: string }).key;
        const client = new ApiClient(service.origin, key);
        return {
          name,
          origin: service.origin,
          key,
          client,
          stop() {
            client.close();
            return service.stop('SIGTERM');
          },
        };
      },
    };
  };
  const today = build('today', '.');
  return {
    today,
    next: build('next', root),
    async addAnimals(count) {
      const file = join(folder.path, 'animals.ndjson');
      await writeFile(file, animals(count));
      const { code, stderr } = await today.run('cli', 'pets', 'import', file);
      if (code !== 0) throw new Error(stderr);
    },
  };
}

/** The whole list, each page from the next of these instances in turn. */
export async function listAll(...instances: readonly Instance[]): Promise<readonly object[]> {
  const listed: object[] = [];
  let target: string | undefined = `/v1/pets?limit=${LARGEST_PAGE}`;
  for (let page = 0; target !== undefined; page += 1) {
    const answer: Answer | undefined = await instances[page % instances.length]?.client.get(target);
    listed.push(...(answer?.json<object[]>() ?? []));
    target = /^<([^>]+)>; rel="next"/.exec(String(answer?.headers['link']))?.[1];
  }
  return listed;
}
