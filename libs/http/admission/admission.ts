import type { Type } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApplicationError } from '#libs/observability';
import { checkCreation } from '../caching/conditional-requests.js';
import { decodedPath, type RouteInfo } from '../request/request-context.js';
import type { AdmissionCheck } from '../routes/route-metadata.js';
import type { CrossOriginPolicy } from './cross-origin.js';
import {
  checkAccept,
  checkContentLength,
  checkContentType,
  checkExpectation,
  checkHeadSize,
  checkSingleHeaders,
  checkTarget,
  expectsContinue,
} from './head-checks.js';
import type { RouteTable } from './route-table.js';

/** A part of admission, such as authentication. Throws or rejects with an ApplicationError to refuse. */
export type AdmissionHook = (request: FastifyRequest, reply: FastifyReply) => Promise<void> | void;

export interface AdmissionHooks {
  /** For every request to a protected path, even without a route, before its body is read. */
  readonly authenticate: AdmissionHook;
  /** For every other request, except to exempt paths. Default: none. */
  readonly countOpen?: AdmissionHook;
  /** For a preflight of an allowed origin. Default: none. */
  readonly describePreflight?: AdmissionHook;
  /** Returns the provider that a route names by `AdmittedBy`. */
  readonly checkOf: (check: Type<AdmissionCheck>) => AdmissionCheck;
}

export interface AdmissionOptions extends AdmissionHooks {
  readonly routes: RouteTable;
  /** Undefined if no other origin is allowed. */
  readonly crossOrigin: CrossOriginPolicy | undefined;
  readonly bodyLimitBytes: number;
}

/**
 * Returns an `onRequest` hook that decides over a request by its head, before its body is read. The order of refusals: those of
 * the hooks, 431, 414, 404, 405, those of the route's `AdmissionCheck`, 406, 417, 415, 413, 400.
 */
export function createAdmission(options: AdmissionOptions): (request: FastifyRequest, reply: FastifyReply) => Promise<unknown> {
  const { routes, crossOrigin, bodyLimitBytes } = options;
  return async (request, reply) => {
    const { context, routeOptions } = request;
    const route = findRoute(request, routes);
    context.routeInfo = route;
    crossOrigin?.addHeaders(request, reply);
    const isPreflight = crossOrigin?.isPreflight(request) ?? false;
    // Awaited only if there is a promise: almost all of them answer at once.
    const pending = chooseHook(route, isPreflight, options)?.(request, reply);
    if (pending) await pending;
    checkHeadSize(request);
    checkTarget(request);
    if (request.method === 'OPTIONS' && (isPreflight || routeOptions.url === undefined)) {
      const known = context.targetForm === 'asterisk' ? routes.allMethods() : route.allow;
      const allow = isPreflight ? known || routes.allMethods() : known;
      if (!allow) throw notFound();
      checkExpectation(request);
      checkSingleHeaders(request);
      reply.header('allow', allow);
      if (isPreflight) crossOrigin?.addPreflightHeaders(reply, allow);
      // RFC 5789 section 3.1.
      else if (route.acceptPatch !== undefined) reply.header('accept-patch', route.acceptPatch);
      return reply.code(204).send();
    }
    checkRoute(request, route);
    const { admittedBy } = routeOptions.config;
    const checking = admittedBy && options.checkOf(admittedBy).check(request);
    if (checking) await checking;
    checkRepresentation(request, route, bodyLimitBytes);
    context.admitted = true;
    if (context.hasBody && expectsContinue(request)) reply.raw.writeContinue();
    return undefined;
  };
}

function findRoute({ context, method, routeOptions }: FastifyRequest, routes: RouteTable): RouteInfo {
  return context.targetForm === 'path' && routeOptions.url !== undefined
    ? routes.ofRoute(method, routeOptions.url)
    : routes.ofPath(method, decodedPath(context.target));
}

function chooseHook(route: RouteInfo, isPreflight: boolean, hooks: AdmissionHooks): AdmissionHook | undefined {
  if (isPreflight) return hooks.describePreflight;
  if (route.isProtected) return hooks.authenticate;
  return route.isExempt ? undefined : hooks.countOpen;
}

function checkRoute(request: FastifyRequest, route: RouteInfo): void {
  if (!route.template || lacksParameter(request, route)) throw notFound();
  if (request.routeOptions.url !== undefined) return;
  const { method } = request;
  // The path has the method only in another spelling, such as with an encoded letter.
  if (route.allow.split(', ').includes(method)) throw notFound();
  throw new ApplicationError('method_not_allowed', `${method} is not allowed here; allowed are ${route.allow}.`, {
    headers: { allow: route.allow },
  });
}

/** The router takes an empty segment for a parameter, so that `/pets/` would be a pet. */
function lacksParameter(request: FastifyRequest, route: RouteInfo): boolean {
  return route.hasParameters && Object.entries(request.params ?? {}).some(([name, value]) => value === '' && name !== '*');
}

function checkRepresentation(request: FastifyRequest, route: RouteInfo, bodyLimitBytes: number): void {
  const { context, headers, method } = request;
  if (route.isJson) checkAccept(request);
  checkExpectation(request);
  // The body of a read has no meaning (RFC 9110 section 9.3.1).
  if (method !== 'GET' && method !== 'HEAD') {
    if (route.isJson && (context.hasBody || headers['content-type'] !== undefined)) checkContentType(request);
    checkContentLength(request, bodyLimitBytes);
  }
  checkSingleHeaders(request);
  if (context.defect) throw context.defect;
  checkCreation(request);
}

function notFound(): ApplicationError {
  return new ApplicationError('not_found', 'There is nothing at this path.');
}
