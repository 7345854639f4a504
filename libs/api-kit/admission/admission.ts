import type { Type } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApplicationError } from '#libs/errors';
import type { Resource } from '../exchange/exchange.js';
import { checkCreation } from '../caching/conditional-writes.js';
import { decodedPath } from '../exchange/request-target.js';
import type { AdmissionCheck } from '../routes/admitted-by.decorator.js';
import type { CrossOriginPolicy } from './cross-origin.js';
import {
  checkContentLength,
  checkExpectation,
  checkHeadSize,
  checkSingleHeaders,
  checkTarget,
  expectsContinue,
} from './protocol-checks.js';
import { checkAccept, checkContentType } from './representation-checks.js';
import type { RouteTable } from './route-table.js';

/** Part of admission, such as authentication. Throws or rejects with an ApplicationError to refuse. */
export type AdmissionHook = (request: FastifyRequest, reply: FastifyReply) => Promise<void> | void;

export interface AdmissionOptions {
  readonly routes: RouteTable;
  readonly crossOrigin: CrossOriginPolicy;
  /** Run in this order for every request to a protected path, also one that no route has. */
  readonly hooks: readonly AdmissionHook[];
  /** Run for every other request, but for those to exempt paths. */
  readonly openHooks: readonly AdmissionHook[];
  /** Run for a preflight of an allowed origin instead. */
  readonly preflightHooks: readonly AdmissionHook[];
  readonly bodyLimitBytes: number;
  /** Gives the check that a route names. */
  readonly checkOf: (check: Type<AdmissionCheck>) => AdmissionCheck;
}

const NO_HOOKS: readonly AdmissionHook[] = [];

type Done = (error?: Error) => void;

/**
 * Decides over a request by its head, before its body is read. Where several refusals apply, the first of these is given:
 * those of the hooks, 431, 414, 404, 405, those of the check that the route names, 406, 417, 415, 413, 400.
 */
export class Admission {
  constructor(private readonly options: AdmissionOptions) {}

  /** An `onRequest` hook. */
  readonly hook = (request: FastifyRequest, reply: FastifyReply, done: Done): void => {
    request.exchange.resource = this.resourceOf(request);
    this.options.crossOrigin.apply(request, reply);
    let pending: Promise<void> | undefined;
    try {
      pending = runHooks(this.hooksFor(request), request, reply);
    } catch (error) {
      done(error as Error);
      return;
    }
    if (pending) pending.then(() => this.conclude(request, reply, done), done);
    else this.conclude(request, reply, done);
  };

  private hooksFor(request: FastifyRequest): readonly AdmissionHook[] {
    if (this.options.crossOrigin.isPreflight(request)) return this.options.preflightHooks;
    if (request.exchange.resource?.isProtected) return this.options.hooks;
    return request.exchange.resource?.isExempt ? NO_HOOKS : this.options.openHooks;
  }

  private resourceOf({ exchange, method, routeOptions }: FastifyRequest): Resource {
    if (exchange.targetForm !== 'path') return this.options.routes.ofPath(decodedPath(exchange.target));
    if (routeOptions.url !== undefined) return this.options.routes.ofRoute(method, routeOptions.url);
    return this.options.routes.ofPath(decodedPath(exchange.target));
  }

  private conclude(request: FastifyRequest, reply: FastifyReply, done: Done): void {
    let pending: Promise<void> | void;
    try {
      if (this.isAnswered(request, reply)) return;
      checkRoute(request);
      pending = this.checkOfRoute(request);
    } catch (error) {
      done(error as Error);
      return;
    }
    if (pending) pending.then(() => this.admit(request, reply, done), done);
    else this.admit(request, reply, done);
  }

  private checkOfRoute(request: FastifyRequest): Promise<void> | void {
    const { admittedBy } = request.routeOptions.config;
    return admittedBy && this.options.checkOf(admittedBy).check(request);
  }

  private admit(request: FastifyRequest, reply: FastifyReply, done: Done): void {
    try {
      this.checkRepresentation(request);
    } catch (error) {
      done(error as Error);
      return;
    }
    request.exchange.admitted = true;
    if (request.exchange.hasBody && expectsContinue(request)) reply.raw.writeContinue();
    done();
  }

  /** Answers preflights, and `OPTIONS` where no route does. */
  private isAnswered(request: FastifyRequest, reply: FastifyReply): boolean {
    const { routes, crossOrigin } = this.options;
    const { resource, targetForm } = request.exchange;
    checkHeadSize(request);
    checkTarget(request);
    if (request.method !== 'OPTIONS') return false;
    const isPreflight = crossOrigin.isPreflight(request);
    if (!isPreflight && request.routeOptions.url !== undefined) return false;
    const known = targetForm === 'asterisk' ? routes.allMethods() : resource?.allow;
    const allow = isPreflight ? known || routes.allMethods() : known;
    if (!allow) throw notFound();
    checkExpectation(request);
    checkSingleHeaders(request);
    if (isPreflight) crossOrigin.answerPreflight(reply, allow);
    else answerOptions(reply, allow, resource);
    return true;
  }

  private checkRepresentation(request: FastifyRequest): void {
    const { resource, defect } = request.exchange;
    if (resource?.isJson) checkAccept(request);
    checkExpectation(request);
    if (resource && !isRead(request.method)) this.checkBody(request, resource);
    checkSingleHeaders(request);
    if (defect) throw defect;
    checkCreation(request);
  }

  /** What comes with a read says nothing (RFC 9110 section 9.3.1) and is not looked at. */
  private checkBody(request: FastifyRequest, { isJson }: Resource): void {
    const { exchange, headers } = request;
    if (isJson && (exchange.hasBody || headers['content-type'] !== undefined)) checkContentType(request);
    checkContentLength(request, this.options.bodyLimitBytes);
  }
}

function checkRoute(request: FastifyRequest): void {
  const { resource } = request.exchange;
  if (!resource?.template || lacksParameter(request, resource)) throw notFound();
  if (request.routeOptions.url === undefined) throw noRoute(request.method, resource.allow);
}

function answerOptions(reply: FastifyReply, allow: string, resource: Resource | undefined): void {
  reply.header('allow', allow);
  // RFC 5789 section 3.1.
  if (resource?.acceptPatch !== undefined) reply.header('accept-patch', resource.acceptPatch);
  void reply.code(204).send();
}

/** The router takes an empty segment for a parameter, so that `/pets/` would be a pet. */
function lacksParameter(request: FastifyRequest, resource: Resource): boolean {
  return resource.hasParameters && Object.entries(request.params ?? {}).some(([name, value]) => value === '' && name !== '*');
}

function isRead(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** The path has no route for the method; or it has one, but only for another spelling of the path. */
function noRoute(method: string, allow: string): ApplicationError {
  if (allow.split(', ').includes(method)) return notFound();
  return new ApplicationError('method_not_allowed', `${method} is not allowed here; allowed are ${allow}.`, { headers: { allow } });
}

function notFound(): ApplicationError {
  return new ApplicationError('not_found', 'There is nothing at this path.');
}

/** Runs the hooks one after another; gives no promise where none of them does. */
function runHooks(hooks: readonly AdmissionHook[], request: FastifyRequest, reply: FastifyReply, from = 0): Promise<void> | undefined {
  for (let index = from; index < hooks.length; index++) {
    const pending = hooks[index]?.(request, reply);
    if (pending) return pending.then(() => runHooks(hooks, request, reply, index + 1));
  }
  return undefined;
}
