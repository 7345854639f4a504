import { readdirSync } from 'node:fs';
import { Injectable } from '@nestjs/common';
import {
  CSS,
  html,
  HTML,
  JAVASCRIPT,
  ManagementServer,
  readPageFile,
  type ManagementAnswer,
  type ManagementPage,
  cliCommand,
} from '#libs/observability';
import { json, LogPages } from './log-pages.js';
import { PasswordGate } from './password.js';
import { RecentSeconds } from './recent-seconds.js';
import { Snapshot } from './snapshot.js';

const PATH = '/console';
const FILES = new URL('page/', import.meta.url);
const PACKAGES = new URL('../../node_modules/', import.meta.url);

/** Files of packages by their paths below the page. The modules of lit-html import each other by relative paths. */
const PACKAGE_FILES: Readonly<Record<string, string>> = {
  'uplot.mjs': 'uplot/dist/uPlot.esm.js',
  'uplot.css': 'uplot/dist/uPlot.min.css',
  ...Object.fromEntries(
    ['lit-html.js', 'directive.js', 'directive-helpers.js', 'directives/repeat.js'].map((name) => [`lit-html/${name}`, `lit-html/${name}`]),
  ),
};

const HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'self'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'referrer-policy': 'no-referrer',
};

/** Serves the operators' page and its data on the management port. */
@Injectable()
export class ConsolePages {
  constructor(
    private readonly server: ManagementServer,
    private readonly gate: PasswordGate,
    private readonly snapshot: Snapshot,
    private readonly seconds: RecentSeconds,
    log: LogPages,
  ) {
    this.registerFiles();
    this.register('/data', ({ query }) => this.data(query.get('after')));
    this.register('/events', ({ query }) => log.newest(query));
    this.register('/history', ({ query }) => log.history(query));
  }

  /**
   * All addresses in the page are relative, so that it works behind a proxy that strips a prefix. Without a slash at the end they would
   * count from one level up, which `base` corrects.
   */
  private registerFiles(): void {
    const keyCommand = html`data-key-command="${cliCommand('keys create --name website --plan free')}"`;
    const page = readPageFile(new URL('console.html', FILES), HTML).content.toString().replace('data-key-command=""', keyCommand.text);
    const folder = PATH.slice(PATH.lastIndexOf('/') + 1);
    this.registerFile('', page.replace('<!-- base -->', `<base href="${folder}/" />`), HTML);
    this.registerFile('/', page.replace('<!-- base -->', ''), HTML);
    const ownFiles = readdirSync(FILES).filter((name) => /\.(?:css|mjs)$/.test(name));
    const locations = [
      ...ownFiles.map((name) => [name, new URL(name, FILES)] as const),
      ...Object.entries(PACKAGE_FILES).map(([path, file]) => [path, new URL(file, PACKAGES)] as const),
    ];
    for (const [path, location] of locations) {
      const { content, contentType } = readPageFile(location, path.endsWith('.css') ? CSS : JAVASCRIPT);
      this.registerFile(`/${path}`, content, contentType);
    }
  }

  private registerFile(path: string, body: string | Buffer, contentType: string): void {
    this.register(path, () => ({ status: 200, contentType, body, headers: HEADERS }));
  }

  private register(path: string, page: ManagementPage): void {
    this.server.register(PATH + path, (request) => this.gate.reject(request) ?? page(request));
  }

  /** The snapshot is made once for all open pages, and joined with the seconds that this page lacks. */
  private async data(after: string | null): Promise<ManagementAnswer> {
    const snapshot = await this.snapshot.json();
    const points = JSON.stringify(this.seconds.after(Number(after ?? 0)));
    return json(200, `${snapshot.slice(0, -1)},"points":${points}}`);
  }
}
