import { errorCodes, cliCommand } from '#libs/observability';
import { CHANGELOG_PAGE, type ReferenceOptions, type ServiceDescription, describeWebhooks } from '#libs/http';
import { composition, publicEventCatalog } from './composition.js';
import { VERSION, type Configuration } from '../config/index.js';

const PREFIX = '/v1';

const DESCRIPTION = `List, add and read animals that are up for adoption.

Every operation needs an API key, sent as \`Authorization: Bearer <API_KEY>\`, and counts against the limits of its plan, which the answer's headers tell. An int64 is written in digits; read it with a parser that keeps all of them. Every refusal has the body \`Error\`.

An operation marked \`x-stability: experimental\` may change at any time, one marked \`beta\` with notice; one without the mark is stable.`;

/** Errors of the proxy in `deploy/`, beside those of the service. */
const proxyErrors = errorCodes({
  bad_gateway: {
    status: 502,
    description: 'A proxy has lost the answer; the request may have taken effect.',
    remedy: 'Send the request again at once; send a request that adds something with the same `Idempotency-Key`.',
  },
  gateway_timeout: {
    status: 504,
    description: 'The answer did not come to a proxy in time; the request may have taken effect.',
    remedy: 'Wait a few seconds, then send it again; send a request that adds something with the same `Idempotency-Key`.',
  },
});

/** Describes the service for the OpenAPI document and the reference page. */
export function apiDescription({ baseUrls }: Pick<Configuration, 'baseUrls'>): ServiceDescription {
  const { tags, errors, scopes } = composition();
  const scopeList = [...scopes].map(([name, { description }]) => `\`${name}\` for ${description}`);
  return {
    title: 'Animal adoption service',
    description: DESCRIPTION,
    version: VERSION,
    contact: { name: 'Animal adoption service support', email: 'support@adoption.example' },
    changelog: CHANGELOG_PAGE,
    credential: `An API key, an opaque text: \`adopt_…\`. Its scopes say what it may be used for: ${scopeList.join(', ')}.`,
    challenge: 'Bearer realm="adoption"',
    keyVariable: 'ADOPTION_KEY',
    sampleServer: baseUrls.production,
    servers: { 'local: the service that this document came from': PREFIX, staging: baseUrls.staging, production: baseUrls.production },
    tags,
    errors,
    proxyErrors: Object.values(proxyErrors),
    webhooks: describeWebhooks(publicEventCatalog({ deployment: 'production', baseUrls, host: '', port: 0 })),
    prefix: PREFIX,
  };
}

const KEY_HELP = `Whoever runs the service makes one: \`${cliCommand('keys create --name NAME')}\` prints it, once; \`--scopes\` names what it is for, \`pets\` when left out.`;

/** Options of the reference page: it sends no requests in production. */
export function referenceOptions({ deployment }: Pick<Configuration, 'deployment'>): ReferenceOptions {
  return deployment === 'production' ? {} : { tryIt: { keyHelp: KEY_HELP } };
}
