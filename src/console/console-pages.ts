import { readdirSync, readFileSync } from 'node:fs';
import { Injectable } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { EventRegistry } from '#libs/event-sourcing';
import { html, HTML, pagePolicy, readTexts } from '#libs/http';
import { invalidParameter, ManagementServer, type ManagementPage, cliCommand } from '#libs/observability';
import { KEY_STATUSES, PLANS } from '../auth/index.js';
import { ListEvents, type LoggedEvent } from '../events/index.js';
import { ConsoleKeys } from './console-keys.js';
import { PasswordGate } from './password.js';
import { RecentSeconds } from './recent-seconds.js';
import { Snapshot } from './snapshot.js';

const PATH = '/console';
const FILES = new URL('page/', import.meta.url);
const PACKAGES = new URL('../../node_modules/', import.meta.url);

/** Files of packages by their paths below the page. The modules of lit-html import each other by relative paths. */
const PACKAGE_FILES: Readonly<Record<string, string>> = {
  'pico.css': '@picocss/pico/css/pico.conditional.min.css',
  'uplot.mjs': 'uplot/dist/uPlot.esm.js',
  'uplot.css': 'uplot/dist/uPlot.min.css',
  ...Object.fromEntries(
    ['lit-html.js', 'directive.js', 'directive-helpers.js', 'directives/repeat.js'].map((name) => [`lit-html/${name}`, `lit-html/${name}`]),
  ),
};

const HEADERS = {
  'content-security-policy': pagePolicy({ 'base-uri': "'self'" }),
  'referrer-policy': 'no-referrer',
};

const MAX_EVENTS = 50;
const MAX_EVENTS_OF_STREAM = 500;
// As the event store names streams: a category and a number, or another word without spaces.
const STREAM = /^[a-z][a-z0-9-]{0,60}-[A-Za-z0-9-]{1,60}$/;

/** Serves the operators' page and its data on the management port. */
@Injectable()
export class ConsolePages {
  constructor(
    private readonly server: ManagementServer,
    private readonly gate: PasswordGate,
    private readonly snapshot: Snapshot,
    private readonly seconds: RecentSeconds,
    private readonly keys: ConsoleKeys,
    private readonly queries: QueryBus,
    private readonly registry: EventRegistry,
  ) {
    this.registerFiles();
    this.register('/data', async () => ({ ...(await this.snapshot.read()), series: this.seconds.series() }));
    this.register('/events', ({ query }) => this.newest(query));
    this.register('/keys', ({ query }) => this.keys.find(query));
    this.register('/key-usage', ({ query }) => this.keys.readUsage(query));
  }

  /**
   * All addresses in the page are relative, so that it works behind a proxy that strips a prefix. Without a slash at the end they would
   * count from one level up, which `base` corrects.
   */
  private registerFiles(): void {
    const command = cliCommand('keys create --name website --plan free');
    const keyData = html`data-key-command="${command}" data-statuses="${KEY_STATUSES.join(' ')}" data-plans="${PLANS.join(' ')}"`;
    const page = readFileSync(new URL('console.html', FILES), 'utf8').replace('data-key-command=""', keyData);
    const folder = PATH.slice(PATH.lastIndexOf('/') + 1);
    this.registerFile('', page.replace('<!-- base -->', `<base href="${folder}/" />`), HTML);
    this.registerFile('/', page.replace('<!-- base -->', ''), HTML);
    const ownFiles = readdirSync(FILES).filter((name) => /\.(?:css|mjs)$/.test(name));
    const locations = [
      ...ownFiles.map((name) => [name, new URL(name, FILES)] as const),
      ...Object.entries(PACKAGE_FILES).map(([path, file]) => [path, new URL(file, PACKAGES)] as const),
    ];
    for (const [path, location] of locations) {
      const mediaType = path.endsWith('.css') ? 'text/css' : 'text/javascript';
      this.registerFile(`/${path}`, readFileSync(location), `${mediaType}; charset=utf-8`);
    }
  }

  private registerFile(path: string, body: string | Buffer, contentType: string): void {
    this.register(path, (_request, reply) => reply.headers(HEADERS).type(contentType).send(body));
  }

  private register(path: string, page: ManagementPage): void {
    this.server.register(PATH + path, (request, reply) => this.gate.reject(request, reply) ?? page(request, reply));
  }

  /** The newest events, at most 50 or, of one stream, 500, newest first, filtered by `type` and `stream` if the query has them. */
  private async newest(query: unknown): Promise<object> {
    const { type, stream } = readTexts(query, ['type', 'stream']);
    const types = this.registry.types();
    if (type && !types.includes(type)) throw invalidParameter('type', 'isIn', `type must be one of ${types.join(', ')}`);
    if (stream && !STREAM.test(stream)) {
      throw invalidParameter('stream', 'stream', 'stream must be the name of a stream, such as pet-7');
    }
    const limit = stream ? MAX_EVENTS_OF_STREAM : MAX_EVENTS;
    const filter = { ...(type && { types: [type] }), ...(stream && { streams: [stream] }) };
    const { items } = await this.queries.execute(new ListEvents({ limit, descending: true, filter }));
    return { types, items: items.map(describeEvent) };
  }
}

/** The queries omit secrets. */
function describeEvent({ position, recordedAt, type, stream, version, metadata, data }: LoggedEvent) {
  return { position: String(position), time: recordedAt.toISOString(), type, stream, version, actor: metadata.actor, data };
}
