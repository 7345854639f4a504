import type { ServiceDescription } from '#libs/openapi';
import { composition } from './composition.js';
import type { Configuration } from './config/index.js';

const DESCRIPTION = `List, add and read animals that are up for adoption.

Every operation needs an API key, sent as \`Authorization: Bearer <API_KEY>\`, and counts against the limits of its plan, which the answer's headers tell. An int64 is written in digits; read it with a parser that keeps all of them. Every refusal has the body \`Error\`.

An operation marked \`x-stability: experimental\` may change at any time, one marked \`beta\` with notice; one without the mark is stable.`;

/** What the OpenAPI document and the reference page say of the service beside its routes. */
export function apiDescription({ baseUrls }: Pick<Configuration, 'baseUrls'>): ServiceDescription {
  const { tags, errors, scopes } = composition();
  const meanings = [...scopes].map(([name, { description }]) => `\`${name}\` for ${description}`);
  return {
    title: 'Animal adoption service',
    description: DESCRIPTION,
    version: '1.0.0',
    credential: `An API key, an opaque text: \`adopt_…\`. Its scopes say what it may be used for: ${meanings.join(', ')}.`,
    servers: { production: baseUrls.production, staging: baseUrls.staging },
    tags,
    errors,
    prefix: '/v1',
  };
}
