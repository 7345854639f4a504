import { execFile } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { until } from '#libs/testing';
import { makeTemporaryFolder } from '../../cleanup/temporary-folder.js';
import { launchBuiltService } from '../built-service.fixture.js';
import { projectRoot } from './readme-text.js';

const execute = promisify(execFile);

const API_KEY = /\badopt_dev_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}\b/;
const CURL_LINE = /^\s*(curl .*)\n/m;
const DOCUMENTED_PORT = /\b127\.0\.0\.1:3000\b/g;

/** A folder that looks like a fresh clone that was built, with the service running in it on a new database. */
export interface ReadmeWorkspace {
  /** The `curl` line that the service printed at its first start. */
  readonly printedCurlLine: string;
  /** Runs shell commands as a reader of the README would; rejects if one fails. @returns the standard output */
  run(commands: string): Promise<string>;
  /** Ends the service. @returns its exit code */
  close(): Promise<number | null>;
}

export async function openReadmeWorkspace(): Promise<ReadmeWorkspace> {
  const folder = makeTemporaryFolder('readme');
  for (const name of ['package.json', 'scripts', 'dist', 'node_modules']) symlinkSync(join(projectRoot, name), join(folder, name));
  const database = { DATABASE_URL: `sqlite:${join(folder, 'data', 'adoption.sqlite')}` };
  // As on the terminal of the reader.
  const service = launchBuiltService(folder, { ...database, LOG_LEVEL: 'silent', LOG_FORMAT: 'pretty' });
  service.listening.catch(() => undefined);
  const [, printedCurlLine = ''] = (await until(() => CURL_LINE.exec(service.output()), service.output)) ?? [];
  const [address = ''] = /127\.0\.0\.1:\d+/.exec(printedCurlLine) ?? [];
  const env = { ...process.env, ...database, ADOPTION_KEY: API_KEY.exec(service.output())?.[0] ?? '' };
  return {
    printedCurlLine,
    async run(commands) {
      return (await execute('sh', ['-euc', commands.replaceAll(DOCUMENTED_PORT, address)], { cwd: folder, env })).stdout;
    },
    close: () => service.stop('SIGTERM'),
  };
}
