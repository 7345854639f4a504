import { createHash } from 'node:crypto';
import rateLimit from '@fastify/rate-limit';
import { fastify, LogController } from 'fastify';
import { Redis } from 'ioredis';
import { destination, pino } from 'pino';
import { collectDefaultMetrics, Histogram, register } from 'prom-client';
import { animals } from '../../fixtures/animals.mjs';
import { PostgresStore } from './postgres.mjs';
import { SqliteStore } from './sqlite.mjs';

/**
 * The promises of the service by well-kept plug-ins, as one would write them by hand: keys by their hash, exact limits, validated input, a log
 * line and metrics for each request, an event in the transaction of each change, filters with their indexes (also for parts of a name).
 */
const { DATABASE_URL, DATABASE_FILE, ANIMALS, STATUS, KEY, LOG_FILE, REDIS_URL } = process.env;
const hashOf = (secret) => createHash('sha256').update(secret).digest('hex');
const store = DATABASE_URL ? new PostgresStore(DATABASE_URL) : new SqliteStore(DATABASE_FILE);
const given = animals(Number(ANIMALS)).map((animal) => ({ ...animal, status: STATUS ?? animal.status }));
await store.fill(given, hashOf(KEY));

const KEY_CACHE_MILLISECONDS = 1_000;
const integer = (minimum) => ({ type: 'integer', minimum, maximum: Number.MAX_SAFE_INTEGER });
const object = (properties, required = []) => ({ type: 'object', additionalProperties: false, properties, required });
const animal = {
  name: { type: 'string', minLength: 1, maxLength: 255 },
  categoryId: integer(0),
  status: { enum: ['available', 'pending', 'sold'] },
};
const pet = object({ id: integer(1), ...animal, status: { type: 'string' } });
const order = object({ id: integer(1), petId: integer(1), quantity: integer(1), status: { type: 'string' }, version: integer(1) });
const several = (items) => ({ type: 'array', items });
const page = { limit: { type: 'integer', minimum: 1, maximum: 100, default: 20 }, cursor: integer(1) };
const schemas = {
  list: {
    querystring: object({ ...page, status: several(animal.status), categoryId: several(animal.categoryId) }),
    response: { 200: several(pet) },
  },
  get: { params: object({ id: integer(1) }), response: { 200: pet } },
  add: { body: object(animal, ['name', 'categoryId']), response: { 201: pet } },
  order: { body: object({ petId: integer(1), quantity: { const: 1 } }, ['petId']), response: { 201: order } },
};

const app = fastify({
  // One line a request, as the service has it.
  logController: new LogController({ disableRequestLogging: true }),
  loggerInstance: pino(destination({ dest: LOG_FILE, sync: false })),
  ajv: { customOptions: { coerceTypes: 'array' } },
});

const labelNames = ['method', 'route', 'status'];
const duration = new Histogram({ name: 'http_request_seconds', help: 'Seconds to a response', labelNames });
collectDefaultMetrics();
app.addHook('onResponse', async ({ method, url, routeOptions, log }, { statusCode, elapsedTime }) => {
  duration.observe({ method, route: routeOptions.url, status: statusCode }, elapsedTime / 1_000);
  log.info({ method, url, statusCode, elapsedTime }, 'request');
});

const keys = new Map();
app.decorateRequest('key', null);
app.addHook('onRequest', async (request, reply) => {
  const [scheme, secret = ''] = (request.headers.authorization ?? '').split(' ');
  const hash = hashOf(secret);
  if (!(keys.get(hash)?.until > Date.now())) keys.set(hash, { key: await store.findKey(hash), until: Date.now() + KEY_CACHE_MILLISECONDS });
  request.key = keys.get(hash).key;
  if (scheme !== 'Bearer' || !request.key) return reply.code(401).send({ code: 'unauthorized', message: 'Send an API key.' });
});
await app.register(rateLimit, {
  hook: 'onRequest',
  max: ({ key }) => key.perMinute,
  timeWindow: '1 minute',
  keyGenerator: ({ key }) => key.id,
  ...(REDIS_URL && { redis: new Redis(REDIS_URL, { connectTimeout: 500, maxRetriesPerRequest: 1 }) }),
});

app.get('/v1/pets', { schema: schemas.list }, async (request, reply) => {
  const { limit, cursor = 0, ...filters } = request.query;
  const found = await store.list({ ...filters, after: cursor, limit: limit + 1 });
  if (found.length <= limit) return found;
  found.pop();
  const next = new URL(request.url, 'http://localhost');
  next.searchParams.set('cursor', found.at(-1).id);
  reply.header('link', `<${next.pathname}${next.search}>; rel="next"`);
  return found;
});
app.get('/v1/pets/:id', { schema: schemas.get }, async ({ params }, reply) => {
  const found = await store.get(params.id);
  return found ?? reply.code(404).send({ code: 'not_found', message: `There is no animal ${params.id}.` });
});
app.post('/v1/pets', { schema: schemas.add }, async ({ body, key }, reply) => {
  const added = await store.add(body, key.id);
  return reply.code(201).header('location', `/v1/pets/${added.id}`).send(added);
});
app.post('/v1/store/orders', { schema: schemas.order }, async ({ body, key }, reply) => {
  const placed = await store.order(body.petId, key.id);
  if (placed === undefined) return reply.code(409).send({ code: 'conflict', message: `The animal ${body.petId} is not available.` });
  return reply.code(201).header('location', `/v1/store/orders/${placed.id}`).send(placed);
});
app.get('/metrics', async (_request, reply) => reply.type(register.contentType).send(await register.metrics()));
process.send({ origin: await app.listen({ port: 0, host: '127.0.0.1' }) });
