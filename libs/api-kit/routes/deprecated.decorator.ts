import { applyDecorators, Injectable, UseGuards, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Clock } from '#libs/clock';
import { ApplicationError } from '#libs/errors';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { saysOfRoute } from './route-config.js';

/** Since when a route is deprecated, until when it is served, and what follows it. */
export interface Deprecation {
  readonly since: Date;
  /** From this moment on every request is answered with 410. */
  readonly sunset: Date;
  /** The path of the successor. */
  readonly successor: string;
  /** What to do, as in `use GET /v1/pets with the status filter`. */
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
    const { deprecation } = context.switchToHttp().getRequest<FastifyRequest>().routeOptions.config;
    if (deprecation === undefined) return true;
    context.switchToHttp().getResponse<FastifyReply>().headers(announcementOf(deprecation));
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
  return applyDecorators(saysOfRoute({ deprecation }), UseGuards(SunsetGuard));
}

function announcementOf({ since, sunset, successor }: Deprecation): Record<string, string> {
  return {
    deprecation: `@${since.getTime() / 1000}`,
    sunset: sunset.toUTCString(),
    link: `<${successor}>; rel="successor-version"`,
  };
}
