import type { ServerResponse } from 'node:http';
import { createWorkingDirectory, startBuiltService, type BuiltService, type WorkingDirectory } from './built-service.fixture.js';
import { startCollector, type Collector, type ReceivedSpan } from './otlp-collector.fixture.js';
import { startReceiver } from './webhook-receiver.fixture.js';

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const SPAN_ID = 'b7ad6b7169203331';
const TRACEPARENT = `00-${TRACE_ID}-${SPAN_ID}-01`;
const PET = { name: 'Rex the Unmistakable', categoryId: 7, status: 'available' };
const TO_THIS_MACHINE = { WEBHOOK_ALLOW_LOOPBACK: 'true' };
const [INTERNAL, SERVER, CLIENT] = [1, 2, 3];
/** Milliseconds that an export may take, and the service to end: more than a test may. */
const TOO_LONG = { OTEL_EXPORTER_OTLP_TIMEOUT: '600000', SHUTDOWN_GRACE_SECONDS: '600' };

interface EventsAnswer {
  readonly data: { readonly events: { readonly nodes: { readonly metadata: { readonly traceparent?: string } }[] } };
}

type Line = Readonly<Record<'msg' | 'method' | 'route' | 'traceId' | 'spanId', string | undefined>>;

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

  const start = async (environment: Record<string, string>, collector?: Collector) => {
    const exporting = collector && { OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint };
    service = await startBuiltService(folder.path, { ...TO_THIS_MACHINE, ...exporting, ...environment });
    key = service.demoKey ?? key;
  };
  const send = (method: string, path: string, { headers = {}, body }: { headers?: Record<string, string>; body?: object } = {}) =>
    fetch(`${service.origin}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }), ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });
  const addPet = async (headers: Record<string, string> = {}) => {
    expect((await send('POST', '/v1/pets', { headers, body: PET })).status).toBe(201);
  };
  const addPets = (count: number) => Promise.all(Array.from({ length: count }, () => addPet()));
  const storedTraceparents = async () => {
    const body = { query: '{ events(first: 100, type: "pet-added") { nodes { type metadata } } }' };
    const { data } = (await (await send('POST', '/graphql', { body })).json()) as EventsAnswer;
    return data.events.nodes.map(({ metadata }) => metadata.traceparent);
  };
  const lines = () =>
    service
      .output()
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Line);
  const warnings = () => lines().flatMap(({ msg = '' }) => (msg.startsWith('Traces are lost') ? [msg] : []));
  const linesOfAdding = () => lines().filter(({ method, route }) => method === 'POST' && route === '/v1/pets');
  /** What came until the service had ended, which sends all that it still has. */
  const spansAtEnd = async (collector: Collector): Promise<ReceivedSpan[]> => {
    expect(await service.stop('SIGTERM')).toBe(0);
    return collector.spans();
  };

  it('lead from a client through request, command, append, projection and statements to the webhook', async () => {
    const [collector, receiver] = [await startCollector(), await startReceiver()];
    await start({}, collector);
    await send('POST', '/v1/webhooks', { body: { url: receiver.url } });
    await addPet({ traceparent: TRACEPARENT });
    const [message] = await receiver.received(1);
    const [stored] = await storedTraceparents();
    const spans = (await spansAtEnd(collector)).filter(({ traceId }) => traceId === TRACE_ID);
    /** The one span of this name, which is below the other. */
    const below = (parentSpanId: string, name: string): ReceivedSpan => {
      const found = spans.filter((span) => span.name === name);
      expect([name, found.map((span) => span.parentSpanId)]).toEqual([name, [parentSpanId]]);
      return found[0] as ReceivedSpan;
    };
    const server = below(SPAN_ID, 'POST /v1/pets');
    expect(server).toMatchObject({ kind: SERVER, status: 0 });
    expect(server.attributes).toMatchObject({ 'http.route': '/v1/pets', 'url.path': '/v1/pets', 'http.response.status_code': 201 });
    const command = below(server.spanId, 'command AddPet');
    expect(command.kind).toBe(INTERNAL);
    const append = below(command.spanId, 'append');
    const commit = below(append.spanId, 'commit');
    const insertion = below(commit.spanId, 'INSERT events');
    const system = globalThis.onServers ? 'postgresql' : 'sqlite';
    expect(insertion).toMatchObject({ kind: CLIENT, attributes: { 'db.system.name': system, 'db.operation.name': 'INSERT' } });
    expect(insertion.attributes['db.query.text']).toMatch(/^INSERT INTO "events" \("position"/);
    for (const statement of ['BEGIN', 'COMMIT']) below(commit.spanId, statement);
    below(below(commit.spanId, 'project pets').spanId, 'UPDATE projection_checkpoints');
    if (globalThis.onServers) {
      const stored = { 'db.system.name': 'redis', 'db.operation.name': 'EVALSHA', 'db.stored_procedure.name': 'decideRequest' };
      expect(below(server.spanId, 'EVALSHA decideRequest')).toMatchObject({ kind: CLIENT, attributes: stored });
    }
    const delivery = below(append.spanId, 'deliver webhook');
    const attributes = { 'server.address': '127.0.0.1', 'http.response.status_code': 204 };
    expect(delivery).toMatchObject({ kind: CLIENT, status: 0, attributes });

    expect(stored).toBe(`00-${TRACE_ID}-${append.spanId}-01`);
    expect(message?.headers['traceparent']).toBe(`00-${TRACE_ID}-${delivery.spanId}-01`);
    expect(linesOfAdding()).toMatchObject([{ traceId: TRACE_ID, spanId: server.spanId }]);
    expect(collector.resource()).toMatchObject({ 'service.name': 'animal-adoption-service', 'service.version': '1.0.0' });
  });

  it('have no key, value or address of a webhook in them', async () => {
    const [collector, receiver] = [await startCollector(), await startReceiver()];
    const secrets = ['sesame-of-the-collector', 'secret-of-the-query', 'secret-of-the-webhook', 'secret-of-the-note', PET.name];
    await start({ OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer%20${secrets[0]}` }, collector);
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

  it('are passed on from a client to log, event and webhook without a collector', async () => {
    const receiver = await startReceiver();
    await start({});
    for (const traceparent of [TRACEPARENT, 'nonsense']) await addPet({ traceparent });
    await send('POST', '/v1/webhooks', { body: { url: receiver.url } });
    await addPet({ traceparent: TRACEPARENT });
    expect(await storedTraceparents()).toEqual([TRACEPARENT, undefined, TRACEPARENT]);
    const [message] = await receiver.received(1);
    expect(message?.headers['traceparent']).toBe(TRACEPARENT);
    const [first, second] = linesOfAdding();
    expect(first).toMatchObject({ traceId: TRACE_ID, spanId: SPAN_ID });
    expect(second).not.toHaveProperty('traceId');
  });

  it.each<[string, (response: ServerResponse) => void]>([
    ['answers 500', (response) => response.writeHead(500).end('broken')],
    ['does not answer', () => undefined],
  ])('cost no request and do not keep the service from ending where the collector %s', async (_name, answer) => {
    const collector = await startCollector(answer);
    await start(TOO_LONG, collector);
    await addPets(20);
    await collector.asked(1);
    await addPets(20);
    expect(await service.stop('SIGTERM')).toBe(0);
    expect(JSON.parse(service.lastLine())).toMatchObject({ msg: 'stopped' });
    expect(warnings().length).toBeLessThanOrEqual(1);
  });
});
