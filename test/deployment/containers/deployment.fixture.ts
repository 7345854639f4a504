import { execFile } from 'node:child_process';
import { copyFileSync, cpSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { until } from '#libs/testing';
import { closeAtEnd } from '../../cleanup/close-at-end.js';
import { findFreePort } from '../../databases/free-port.fixture.js';
import { ApiClient } from '../../e2e/api-client.fixture.js';
import { projectRoot, readDocument } from '../../e2e/readme/readme-text.js';

const execute = promisify(execFile);
const MOST_OUTPUT_BYTES = 64 * 1024 * 1024;

/** What run-containers.mjs calls this run: the beginning of the names of all that is started, and of the images' tags. */
const runName = process.env['CONTAINERS_NAME'];

/** The compose file's `production`, started from a folder of its own, as somebody would who has followed docs/operate/deploy.md. */
export interface Deployment {
  /** Where the proxy is reached. */
  readonly origin: string;
  /** Runs what a document says in the folder, `cli` included. @returns the standard output */
  shell(commands: string): Promise<string>;
  /** Runs docker compose on this deployment. @returns the standard output */
  compose(...words: readonly string[]): Promise<string>;
  /** The ids of the containers of a service that run. */
  containers(service?: string): Promise<string[]>;
  /** Resolves when requests are answered, after what has stopped it. */
  ready(): Promise<void>;
  /** A caller with a new key: of the plan free, or with limits that no test reaches. */
  client(plan: 'free' | 'unlimited'): Promise<ApiClient>;
}

/** Tags of the images that run-containers.mjs has made. */
export const versions = { first: `${runName}.1`, second: `${runName}.2`, broken: `${runName}.3` } as const;

/** Several instances start at once on the machine of the tests, which may be slow: that is not what they are about. */
const PATIENT = "services: { production: { environment: { DATABASE_TIMEOUT_MILLISECONDS: '15000' } } }\n";

let started = 0;

/** Starts one and has it removed, volumes and all, when the test or the file is over. */
export async function startDeployment(): Promise<Deployment> {
  if (runName === undefined) throw new Error('These tests need images that were built for them: npm run test:containers');
  const folder = mkdtempSync(join(tmpdir(), 'adoption-deployment-'));
  copyFileSync(join(projectRoot, 'docker-compose.yml'), join(folder, 'docker-compose.yml'));
  cpSync(join(projectRoot, 'deploy'), join(folder, 'deploy'), { recursive: true });
  writeFileSync(join(folder, 'docker-compose.override.yml'), PATIENT);
  started += 1;
  const address = `127.0.0.1:${await findFreePort()}`;
  const env = {
    ...withoutSettings(process.env),
    COMPOSE_PROJECT_NAME: `${runName}-${process.pid}-${started}`,
    COMPOSE_PROGRESS: 'quiet',
    ADOPTION_VERSION: versions.first,
    PRODUCTION_ADDRESS: address,
  };
  const run = async (file: string, words: readonly string[]): Promise<string> => {
    const { stdout } = await execute(file, words, { cwd: folder, env, maxBuffer: MOST_OUTPUT_BYTES });
    return stdout;
  };
  const compose = (...words: readonly string[]): Promise<string> => run('docker', ['compose', '--profile', 'production', ...words]);
  const shell = (commands: string): Promise<string> =>
    run('bash', ['-euo', 'pipefail', '-O', 'expand_aliases', '-c', `${cliAlias()}\n${commands}`]);
  closeAtEnd(() => compose('down', '--volumes', '--timeout', '1'));
  await shell('deploy/create-secrets.sh production');
  await compose('up', '--detach', '--no-build', '--wait');
  const origin = `http://${address}`;
  return {
    origin,
    shell,
    compose,
    containers: async (service = 'production') => linesOf(await compose('ps', '--quiet', service)),
    ready: () => until(async () => (await statusOf(`${origin}/health/ready`)) === 200).then(() => undefined),
    client: async (plan) => {
      const limits = plan === 'free' ? '--plan free' : '--plan enterprise --per-minute 1000000 --per-day 100000000';
      const { key } = JSON.parse(await shell(`cli --json keys create --name test --scopes pets,orders ${limits}`)) as { key: string };
      return new ApiClient(origin, key);
    },
  };
}

async function statusOf(address: string): Promise<number | undefined> {
  const answer = await fetch(address).catch(() => undefined);
  return answer?.status;
}

export function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}

/** The line of docs/operate/deploy.md by which its other commands reach the command line of the service. */
function cliAlias(): string {
  const [line] = /^alias cli='docker compose .*'$/m.exec(readDocument('docs/operate/deploy.md')) ?? [];
  if (line === undefined) throw new Error('docs/operate/deploy.md defines no cli.');
  return line;
}

/** Leaves out what somebody has set for a deployment of their own. */
function withoutSettings(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !/^(ADOPTION|PRODUCTION|COMPOSE)_/.test(name)));
}
