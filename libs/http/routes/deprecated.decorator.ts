import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApplicationError } from '#libs/observability';
import { parseInt64 } from '../validation/rules.js';
import { setHandlerMetadata } from './route-metadata.js';

/** The deprecation of a route, its end and its successor. */
interface Deprecation {
  readonly since: Date;
  /** From then on every request gets 410. */
  readonly sunset: Date;
  /** The path of the successor; its query may have parameters of the path that are ids, such as `:petId`. */
  readonly successor: string;
  /** Advice for clients, such as `use GET /v1/pets with ids`. */
  readonly instead: string;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    deprecation?: Deprecation & { readonly headers: Readonly<Record<string, string>> };
  }
}

/**
 * Adds the headers `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and `Link` to the successor (RFC 5829) to every response of the handler,
 * and refuses requests with 410 `gone` from the sunset on.
 */
export function Deprecated(deprecation: Deprecation): MethodDecorator {
  const headers = { deprecation: `@${deprecation.since.getTime() / 1000}`, sunset: deprecation.sunset.toUTCString() };
  return setHandlerMetadata({ deprecation: { ...deprecation, headers } });
}

/** Adds the headers of a deprecated route to a response. @throws ApplicationError `gone` from the sunset on */
export function announceDeprecation({ params, routeOptions }: FastifyRequest, reply: FastifyReply, now: () => Date): void {
  const { deprecation } = routeOptions.config;
  if (deprecation === undefined) return;
  const successor = formatSuccessor(deprecation.successor, params as PathParameters);
  void reply.headers(deprecation.headers).header('link', `<${successor}>; rel="successor-version"`);
  if (now() < deprecation.sunset) return;
  const date = deprecation.sunset.toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });
  throw new ApplicationError('gone', `This operation was removed on ${date}; ${deprecation.instead}.`);
}

type PathParameters = Readonly<Record<string, string>>;

/** Without its query unless the parameters of the path are ids: only digits of a request are ever sent back. */
function formatSuccessor(template: string, parameters: PathParameters): string {
  const [path = '', query] = template.split('?', 2);
  if (query === undefined) return path;
  const ids = [...query.matchAll(/:(\w+)/g)].map(([, name = '']) => parseInt64(parameters[name] ?? ''));
  if (ids.includes(undefined)) return path;
  return `${path}?${query.replace(/:\w+/g, () => String(ids.shift()))}`;
}
