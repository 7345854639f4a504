import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { request, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { createWorkingDirectory, startBuiltService, type BuiltService, type WorkingDirectory } from './built-service.fixture.js';
import { startCollector, takeExport, type AnswerExport, type Collector, type ReceivedSpan } from './otlp-collector.fixture.js';
import { startReceiver } from './webhook-receiver.fixture.js';

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const SPAN_ID = 'b7ad6b7169203331';
const TRACEPARENT = `00-${TRACE_ID}-${SPAN_ID}-01`;
const PET = { name: 'Rex the Unmistakable', categoryId: 7, status: 'available' };
const TO_THIS_MACHINE = { WEBHOOK_ALLOW_LOOPBACK: 'true' };
const [INTERNAL, SERVER, CLIENT] = [1, 2, 3];
const ERROR = 2;

/** How a bundled file names its source. The API without the SDK is loaded with the metrics, and does nothing. */
const PART_OF_SDK = /^\/\/ (?:node_modules\/@opentelemetry\/(?!api\/)|dist\/libs\/tracing\/open-telemetry-sdk)/m;

interface EventsAnswer {
  readonly data: { readonly events: { readonly nodes: { readonly type: string; readonly metadata: { readonly traceparent?: string } }[] } };
}

interface Line {
  readonly msg: string;
  readonly method?: string;
  readonly route?: string;
  readonly traceId?: string;
  readonly spanId?: string;
}

describe('traces', () => {
  let folder: WorkingDirectory;
  let service: BuiltService;
  /** That of the first start, which makes it. */
  let key: string;
  beforeEach(async () => (folder = await createWorkingDirectory()));
  afterEach(async () => {
    await service.stop('SIGKILL');
    await folder.remove();
  });

  const start = async (environment: Record<string, string>) => {
    service = await startBuiltService(folder.path, environment);
    key = service.demoKey ?? key;
  };

  const send = (method: string, path: string, { headers = {}, body }: { headers?: Record<string, string>; body?: object } = {}) =>
    fetch(`${service.origin}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
    });

  const addPet = async (headers: Record<string, string> = {}) => {
    const { status } = await send('POST', '/v1/pets', { headers, body: PET });
    expect(status).toBe(201);
  };

  const addPets = (count: number) => Promise.all(Array.from({ length: count }, () => addPet()));

  const storedTraceparents = async () => {
    const answer = await send('POST', '/graphql', {
      body: { query: '{ events(first: 100, type: "pet-added") { nodes { type metadata } } }' },
    });
    const { data } = (await answer.json()) as EventsAnswer;
    return data.events.nodes.map(({ metadata }) => metadata.traceparent);
  };

  const lines = () =>
    service
      .output()
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Line);
  const warnings = () => lines().flatMap(({ msg }) => (msg.startsWith('Traces are lost') ? [msg] : []));
  const linesOfAdding = () => lines().filter(({ method, route }) => method === 'POST' && route === '/v1/pets');

  /** How many files with parts of OpenTelemetry's SDK a service has loaded when it ends. */
  const filesOfSdkLoaded = async (environment: Record<string, string>) => {
    const coverage = join(folder.path, 'coverage');
    await start({ NODE_V8_COVERAGE: coverage, ...environment });
    await addPet({ traceparent: TRACEPARENT });
    expect(await service.stop('SIGTERM')).toBe(0);
    const reports = await Promise.all((await readdir(coverage)).map((file) => readFile(join(coverage, file), 'utf8')));
    const urls = reports.flatMap((text) => (JSON.parse(text) as { result: { url: string }[] }).result.map(({ url }) => url));
    const sources = await Promise.all(urls.filter((url) => url.startsWith('file:')).map((url) => readFile(new URL(url), 'utf8')));
    expect(sources.length).toBeGreaterThan(0);
    return sources.filter((source) => PART_OF_SDK.test(source)).length;
  };

  /** What came until the service had ended, which sends all that it still has. */
  const spansAtEnd = async (collector: Collector): Promise<ReceivedSpan[]> => {
    expect(await service.stop('SIGTERM')).toBe(0);
    return collector.spans();
  };

  describe('with a collector', () => {
    it('lead from a client through request, command, append, projection and statements to the webhook', async () => {
      const [collector, receiver] = [await startCollector(), await startReceiver()];
      await start({
        ...TO_THIS_MACHINE,
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
        OTEL_RESOURCE_ATTRIBUTES: 'service.namespace=shop',
      });
      await send('POST', '/v1/webhooks', { body: { url: receiver.url } });
      await addPet({ traceparent: TRACEPARENT });
      const [message] = await receiver.received(1);
      const [stored] = await storedTraceparents();
      const spans = await spansAtEnd(collector);

      const ofTrace = spans.filter(({ traceId }) => traceId === TRACE_ID);
      const one = (name: string): ReceivedSpan => {
        const found = ofTrace.filter((span) => span.name === name);
        expect(found).toHaveLength(1);
        return found[0] as ReceivedSpan;
      };
      const below = (parent: ReceivedSpan, name: string) => {
        const span = one(name);
        expect(span.parentSpanId).toBe(parent.spanId);
        return span;
      };
      const server = one('POST /v1/pets');
      expect(server).toMatchObject({ parentSpanId: SPAN_ID, kind: SERVER, status: 0 });
      expect(server.attributes).toMatchObject({
        'http.request.method': 'POST',
        'http.route': '/v1/pets',
        'url.path': '/v1/pets',
        'url.scheme': 'http',
        'http.response.status_code': 201,
      });
      const command = below(server, 'command AddPet');
      expect(command.kind).toBe(INTERNAL);
      const append = below(command, 'append');
      const commit = below(append, 'commit');
      const projection = below(commit, 'project pets');
      const system = globalThis.onServers ? 'postgresql' : 'sqlite';
      const insertion = below(commit, 'INSERT events');
      expect(insertion).toMatchObject({ kind: CLIENT, attributes: { 'db.system.name': system, 'db.operation.name': 'INSERT' } });
      expect(insertion.attributes['db.query.text']).toMatch(/^INSERT INTO "events" \("position"/);
      below(commit, 'BEGIN');
      below(commit, 'COMMIT');
      below(projection, 'UPDATE projection_checkpoints');
      if (globalThis.onServers) {
        expect(below(server, 'EVALSHA decideRequest')).toMatchObject({
          kind: CLIENT,
          attributes: { 'db.system.name': 'redis', 'db.operation.name': 'EVALSHA', 'db.stored_procedure.name': 'decideRequest' },
        });
      }
      const delivery = below(append, 'deliver webhook');
      expect(delivery).toMatchObject({
        kind: CLIENT,
        status: 0,
        attributes: { 'server.address': '127.0.0.1', 'http.response.status_code': 204 },
      });

      expect(stored).toBe(`00-${TRACE_ID}-${append.spanId}-01`);
      expect(message?.headers['traceparent']).toBe(`00-${TRACE_ID}-${delivery.spanId}-01`);
      expect(linesOfAdding()).toMatchObject([{ traceId: TRACE_ID, spanId: server.spanId }]);
      expect(collector.requests[0]?.url).toBe('/v1/traces');
      expect(collector.resource()).toMatchObject({
        'service.name': 'animal-adoption-service',
        'service.version': '1.0.0',
        'service.namespace': 'shop',
        'deployment.environment.name': 'development',
      });
    });

    it('hold together a request whose body comes later than its head', async () => {
      const collector = await startCollector();
      await start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint });
      const headers = {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        expect: '100-continue',
        traceparent: TRACEPARENT,
      };
      const sending = request(`${service.origin}/v1/pets`, { method: 'POST', headers });
      sending.on('continue', () => sending.end(JSON.stringify(PET)));
      sending.flushHeaders();
      const [answer] = (await once(sending, 'response')) as [IncomingMessage];
      await once(answer.resume(), 'end');
      const names = (await spansAtEnd(collector)).filter(({ traceId }) => traceId === TRACE_ID).map(({ name }) => name);
      expect(names).toEqual(expect.arrayContaining(['POST /v1/pets', 'command AddPet', 'append', 'commit']));
    });

    it('of requests that share a commit have links to it, and it to them', async () => {
      const collector = await startCollector();
      await start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint });
      await addPets(24);
      const spans = await spansAtEnd(collector);
      const adding = new Set(spans.filter(({ name }) => name === 'POST /v1/pets').map(({ traceId }) => traceId));
      expect(adding.size).toBe(24);
      const appends = spans.filter(({ name, traceId }) => name === 'append' && adding.has(traceId));
      const commits = spans.filter(({ name, traceId }) => name === 'commit' && adding.has(traceId));
      expect(appends).toHaveLength(24);
      expect(commits.length).toBeLessThan(24);
      for (const { spanId, links } of appends) {
        const own = commits.filter(({ parentSpanId }) => parentSpanId === spanId);
        const shared = commits.filter((commit) => links.includes(commit.spanId));
        expect(own.length + shared.length).toBe(1);
        for (const commit of shared) expect(commit.links).toContain(spanId);
      }
    });

    it('begin with the service where a traceparent is malformed, and heed what a client says of sampling', async () => {
      const collector = await startCollector();
      await start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint });
      await addPet({ traceparent: `00-${TRACE_ID}-${'0'.repeat(16)}-01` });
      await addPet({ traceparent: `00-${TRACE_ID}-${SPAN_ID}-00` });
      const [malformed, unsampled] = await storedTraceparents();
      const spans = await spansAtEnd(collector);
      const requests = spans.filter(({ name }) => name === 'POST /v1/pets');
      expect(requests).toHaveLength(1);
      expect(requests[0]).toMatchObject({ traceId: expect.not.stringContaining(TRACE_ID) });
      expect(requests[0]?.parentSpanId).toBeUndefined();
      expect(malformed).toMatch(new RegExp(`^00-${requests[0]?.traceId}-[0-9a-f]{16}-01$`));
      expect(spans.filter(({ traceId }) => traceId === TRACE_ID)).toEqual([]);
      expect(unsampled).toMatch(new RegExp(`^00-${TRACE_ID}-[0-9a-f]{16}-00$`));
      expect(linesOfAdding()).toMatchObject([{ traceId: requests[0]?.traceId }, { traceId: TRACE_ID }]);
    });

    it('are of requests that are refused too, as errors where the service is at fault alone', async () => {
      const collector = await startCollector();
      await start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint });
      await send('GET', '/v1/pets/99');
      await send('PATCH', '/v1/pets/99', { body: { name: 'Max' } });
      await send('GET', '/v1/nothing');
      await fetch(`${service.origin}/health/ready`);
      const spans = await spansAtEnd(collector);
      const requests = spans.filter(({ kind }) => kind === SERVER);
      expect(requests.map(({ name, status, attributes }) => [name, status, attributes['http.response.status_code']])).toEqual([
        ['GET /v1/pets/:petId', 0, 404],
        ['PATCH /v1/pets/:petId', 0, 404],
        ['GET', 0, 404],
      ]);
      expect(spans.filter(({ status }) => status === ERROR)).toEqual([]);
      // What is looked at all the time, and what is due, is in no trace.
      const known = new Set(spans.map(({ spanId }) => spanId));
      const roots = spans.filter(({ parentSpanId }) => parentSpanId === undefined || !known.has(parentSpanId));
      expect(roots.filter(({ kind, name }) => kind !== SERVER && !name.startsWith('command '))).toEqual([]);
    });

    it('have no key, value or address of a webhook in them', async () => {
      const [collector, receiver] = [await startCollector(), await startReceiver()];
      const secrets = ['sesame-of-the-collector', 'secret-of-the-query', 'secret-of-the-webhook', 'secret-of-the-note', PET.name];
      await start({
        ...TO_THIS_MACHINE,
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
        OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer%20${secrets[0]}`,
      });
      await send('POST', '/v1/webhooks', { body: { url: `${receiver.url}/${secrets[2]}` } });
      await addPet({ 'idempotency-key': 'secret-of-the-note' });
      await receiver.received(1);
      await send('GET', `/v1/pets?status=available&key=${key}&q=${secrets[1]}`);
      await send('GET', `/v1/${key}`);
      await send('GET', '/v1/pets', { headers: { authorization: `Bearer ${key.slice(0, -1)}x` } });
      await send('POST', '/v1/store/orders', { body: { petId: 1, note: secrets[3] } });
      expect((await spansAtEnd(collector)).length).toBeGreaterThan(10);
      const sent = collector.requests.map(({ body }) => body).join();
      for (const secret of [...secrets, key, key.slice(0, -6), key.split('_')[2]]) expect(sent).not.toContain(secret);
      expect(collector.requests[0]?.headers['authorization']).toBe(`Bearer ${secrets[0]}`);
      expect(service.output()).not.toContain(secrets[0]);
    });
  });

  it('load OpenTelemetry’s SDK alone where there is a collector, as one file', async () => {
    const { endpoint } = await startCollector();
    expect(await filesOfSdkLoaded({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint })).toBe(1);
  });

  describe('without a collector', () => {
    it('are passed on from a client to log, event and webhook', async () => {
      const receiver = await startReceiver();
      await start(TO_THIS_MACHINE);
      await send('POST', '/v1/webhooks', { body: { url: receiver.url } });
      await addPet({ traceparent: TRACEPARENT });
      await addPet();
      await addPet({ traceparent: 'nonsense' });
      expect(await storedTraceparents()).toEqual([TRACEPARENT, undefined, undefined]);
      const messages = await receiver.received(3);
      expect(messages.map(({ headers }) => headers['traceparent'])).toEqual([TRACEPARENT, undefined, undefined]);
      const [first, ...others] = linesOfAdding();
      expect(first).toMatchObject({ traceId: TRACE_ID, spanId: SPAN_ID });
      for (const line of others) expect(line).not.toHaveProperty('traceId');
    });

    it('load nothing of OpenTelemetry’s SDK', async () => {
      expect(await filesOfSdkLoaded({})).toBe(0);
    });
  });

  describe('with a collector that is of no use', () => {
    const outages: [string, AnswerExport][] = [
      ['answers 500', (response) => response.writeHead(500).end('broken')],
      ['answers 503', (response) => response.writeHead(503, { 'retry-after': '1' }).end()],
      ['does not answer', () => undefined],
      ['hangs up', (response) => response.destroy()],
      ['answers what is no answer', (response) => response.writeHead(200).end('<html>')],
    ];
    it.each(outages)('that %s, cost no request, and do not keep the service from ending', async (_name, answer) => {
      const collector = await startCollector(answer);
      await start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint, OTEL_EXPORTER_OTLP_TIMEOUT: '60000', SHUTDOWN_GRACE_SECONDS: '60' });
      await addPets(20);
      await collector.asked(1);
      await addPets(20);
      expect(await service.stop('SIGTERM')).toBe(0);
      const stopped = JSON.parse(service.lastLine()) as { msg: string; durationMs: number };
      expect(stopped.msg).toBe('stopped');
      // Not the minute that an export, or the service, may take.
      expect(stopped.durationMs).toBeLessThan(30_000);
      expect(warnings().length).toBeLessThanOrEqual(1);
    });

    it('that is not there, cost no request, and tell of it once, without its secrets', async () => {
      const collector = await startCollector();
      await collector.close();
      await start({
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
        OTEL_EXPORTER_OTLP_HEADERS: 'x-token=sesame',
        // One attempt, and none after it.
        OTEL_EXPORTER_OTLP_TIMEOUT: '500',
      });
      await addPets(10);
      while (warnings().length === 0) await fetch(`${service.origin}/health/live`);
      await addPets(10);
      expect(await service.stop('SIGTERM')).toBe(0);
      expect(warnings()).toEqual([
        expect.stringMatching(new RegExp(`^Traces are lost, which are sent to ${collector.endpoint}/v1/traces: .*ECONNREFUSED`)),
      ]);
      expect(service.output()).not.toContain('sesame');
    });

    it('that takes its time when the service is told to end, are sent before it has', async () => {
      const unanswered: ServerResponse[] = [];
      let isSlow = true;
      const collector = await startCollector((response) => (isSlow ? unanswered.push(response) : takeExport(response)));
      await start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint });
      await addPet({ traceparent: TRACEPARENT });
      const ended = service.stop('SIGTERM');
      await collector.asked(1);
      isSlow = false;
      unanswered.forEach(takeExport);
      expect(await ended).toBe(0);
      expect(collector.spans().map(({ name }) => name)).toContain('POST /v1/pets');
      expect(warnings()).toEqual([]);
    });
  });
});
