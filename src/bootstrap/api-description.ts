import { errorCodes } from '#libs/observability';
import { CHANGELOG_PAGE, type ServiceDescription, describeEvents } from '#libs/http';
import { composition, publicEventCatalog } from './composition.js';
import { VERSION, type Configuration } from '../config/index.js';

const PREFIX = '/v1';
/** The tags in the order in which a new client needs them. */
const TAGS = ['pets', 'orders', 'keys', 'feed', 'webhooks'];

const DESCRIPTION = `List, add and read animals that are up for adoption.

Every operation needs an API key, sent as \`Authorization: Bearer <API_KEY>\`, and counts against the limits of its plan, which the answer's headers tell. An int64 is written in digits; read it with a parser that keeps all of them. Every refusal has the body \`Error\`.

A path with \`GET\` answers \`HEAD\` too, and every path answers \`OPTIONS\` with its methods.

An operation marked \`x-stability: experimental\` may change at any time, one marked \`beta\` with notice; one without the mark is stable.

The [guides](/docs) show how to use it.`;

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
export function apiDescription({ baseUrls, deployment }: Pick<Configuration, 'baseUrls' | 'deployment'>): ServiceDescription {
  const { tags, errors, scopes } = composition();
  const scopeList = [...scopes].map(([name, { description }]) => `\`${name}\` for ${description}`);
  const credential = `An API key, an opaque text: \`adopt_…\`. An operator of the service issues it. Its scopes say what it may be used for: ${scopeList.join(', ')}.`;
  const { schemas, webhooks } = describeEvents(publicEventCatalog({ deployment: 'production', baseUrls, host: '', port: 0 }));
  return {
    document: {
      info: {
        title: 'Animal adoption service',
        description: DESCRIPTION,
        version: VERSION,
        contact: { name: 'Animal adoption service support', email: 'support@adoption.example' },
        license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
      },
      externalDocs: { description: 'What has changed', url: CHANGELOG_PAGE },
      servers: Object.entries(listServers(baseUrls, deployment)).map(([name, url]) => ({ url, description: name, 'x-internal': false })),
      tags: [...tags].sort((left, right) => tagPosition(left.name) - tagPosition(right.name)),
      webhooks,
      components: { securitySchemes: { bearerAuth: { type: 'http', scheme: 'bearer', description: credential } } },
    },
    challenge: 'Bearer realm="adoption"',
    keyVariable: 'ADOPTION_KEY',
    sampleServer: deployment === 'staging' ? baseUrls.staging : baseUrls.production,
    clientPackage: '@adoption/client',
    errors,
    proxyErrors: Object.values(proxyErrors),
    schemas,
    prefix: PREFIX,
  };
}

/** The deployment that serves the document comes first: generated clients use the first server unless told otherwise. */
function listServers({ production, staging }: Configuration['baseUrls'], deployment: Configuration['deployment']): Record<string, string> {
  if (deployment === 'production') return { production, staging };
  return { ...(deployment === 'development' && { 'local: the service that this document came from': PREFIX }), staging, production };
}

/** Tags of modules that `TAGS` does not name come last. */
function tagPosition(name: string): number {
  return [...TAGS, name].indexOf(name);
}
