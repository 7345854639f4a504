import { applyDecorators, Injectable, UseGuards, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Clock } from '#libs/clock';
import { ApplicationError } from '#libs/errors';
import { parseInt64 } from '#libs/validation';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { setRouteMetadata } from './route-config.js';

/** Since when a route is deprecated, until when it is served, and what follows it. */
export interface Deprecation {
  readonly since: Date;
  /** From this moment on every request is answered with 410. */
  readonly sunset: Date;
  /** The path of the successor; its query may have parameters of the path that are ids, such as `:petId`. */
  readonly successor: string;
  /** What to do, as in `use GET /v1/pets with ids`. */
  readonly instead: string;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    deprecation?: Deprecation;
  }
}

@Injectable()
class SunsetGuard implements CanActivate {
  constructor(private readonly clock: Clock) {}

  canActivate(context: ExecutionContext): boolean {
    const { params, routeOptions } = context.switchToHttp().getRequest<FastifyRequest>();
    const { deprecation } = routeOptions.config;
    if (deprecation === undefined) return true;
    context
      .switchToHttp()
      .getResponse<FastifyReply>()
      .headers(announcementOf(deprecation, params as PathParameters));
    if (this.clock.now() < deprecation.sunset) return true;
    const date = deprecation.sunset.toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });
    throw new ApplicationError('gone', `This operation was removed on ${date}; ${deprecation.instead}.`);
  }
}

/**
 * Says on every answer of the handler since when it is deprecated (RFC 9745), until when it is served (RFC 8594) and what follows it
 * (RFC 5829), and refuses requests with 410 `gone` from then on.
 */
export function Deprecated(deprecation: Deprecation): MethodDecorator {
  return applyDecorators(setRouteMetadata({ deprecation }), UseGuards(SunsetGuard));
}

type PathParameters = Readonly<Record<string, string>>;

function announcementOf({ since, sunset, successor }: Deprecation, parameters: PathParameters): Record<string, string> {
  return {
    deprecation: `@${since.getTime() / 1000}`,
    sunset: sunset.toUTCString(),
    link: `<${successorOf(successor, parameters)}>; rel="successor-version"`,
  };
}

/** Without its query where what is in the path is no id: nothing that was sent comes back but digits. */
function successorOf(template: string, parameters: PathParameters): string {
  const [path = '', query] = template.split('?', 2);
  if (query === undefined) return path;
  const ids = [...query.matchAll(/:(\w+)/g)].map(([, name = '']) => parseInt64(parameters[name] ?? ''));
  if (ids.includes(undefined)) return path;
  return `${path}?${query.replace(/:\w+/g, () => String(ids.shift()))}`;
}
