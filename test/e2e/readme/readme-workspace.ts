import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pathWithCurl } from './path-with-curl.js';
import { projectRoot } from './readme-text.js';

const execute = promisify(execFile);

const API_KEY = /\badopt_dev_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}\b/;
const CURL_LINE = /^\s*(curl .*)$/m;
const DOCUMENTED_PORT = /\b127\.0\.0\.1:3000\b/g;

/** A folder that looks like a fresh clone that was built, with the service running in it on a new database. */
export interface ReadmeWorkspace {
  /** The `curl` line that the service printed at its first start. */
  readonly printedCurlLine: string;
  /** Runs shell commands as a reader of the README would; rejects when one fails. @returns the standard output. */
  run(commands: string): Promise<string>;
  /** Ends the service and removes the folder. @returns the service's exit code. */
  close(): Promise<number | null>;
}

export async function openReadmeWorkspace(): Promise<ReadmeWorkspace> {
  const folder = mkdtempSync(join(tmpdir(), 'adoption-readme-'));
  for (const name of ['package.json', 'scripts', 'dist', 'node_modules']) symlinkSync(join(projectRoot, name), join(folder, name));
  const environment = { ...process.env, PATH: pathWithCurl(folder), DATABASE_URL: `sqlite:${join(folder, 'data', 'adoption.sqlite')}` };
  const service = spawn(process.execPath, ['dist/programs/main.js'], {
    cwd: folder,
    // As on the terminal of the reader.
    env: { ...environment, PORT: '0', MANAGEMENT_PORT: '0', LOG_LEVEL: 'silent', LOG_FORMAT: 'pretty' },
  });
  const { key, curlLine } = await firstWords(service).catch((error: unknown) => {
    rmSync(folder, { recursive: true });
    throw error;
  });
  const address = /127\.0\.0\.1:\d+/.exec(curlLine)?.[0] ?? '';
  return {
    printedCurlLine: curlLine,
    run: async (commands) => {
      const env = { ...environment, ADOPTION_KEY: key };
      const { stdout } = await execute('sh', ['-euc', commands.replaceAll(DOCUMENTED_PORT, address)], { cwd: folder, env });
      return stdout;
    },
    close: async () => {
      const exited = once(service, 'exit');
      service.kill('SIGTERM');
      const [code] = (await exited) as [number | null];
      rmSync(folder, { recursive: true });
      return code;
    },
  };
}

/** Waits until the service has printed its key and its `curl` line. */
async function firstWords(service: ChildProcess): Promise<{ key: string; curlLine: string }> {
  let printed = '';
  return new Promise((resolve, reject) => {
    const read = (chunk: Buffer): void => {
      printed += chunk.toString();
      const key = API_KEY.exec(printed)?.[0];
      const curlLine = CURL_LINE.exec(printed.slice(0, printed.lastIndexOf('\n') + 1))?.[1];
      if (key !== undefined && curlLine !== undefined) resolve({ key, curlLine });
    };
    service.stdout?.on('data', read);
    service.stderr?.on('data', read);
    service.once('exit', (code) => reject(new Error(`The service ended with ${code ?? 'a signal'}:\n${printed}`)));
  });
}
