import type { Type } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApplicationError } from '#libs/errors';
import type { RouteInfo } from '../request/request-context.js';
import { checkCreation } from '../caching/conditional-writes.js';
import { decodedPath } from '../request/request-target.js';
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
    request.context.routeInfo = this.resourceOf(request);
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
    if (request.context.routeInfo?.isProtected) return this.options.hooks;
    return request.context.routeInfo?.isExempt ? NO_HOOKS : this.options.openHooks;
  }

  private resourceOf({ context, method, routeOptions }: FastifyRequest): RouteInfo {
    if (context.targetForm !== 'path') return this.options.routes.ofPath(decodedPath(context.target));
    if (routeOptions.url !== undefined) return this.options.routes.ofRoute(method, routeOptions.url);
    return this.options.routes.ofPath(decodedPath(context.target));
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
    request.context.admitted = true;
    if (request.context.hasBody && expectsContinue(request)) reply.raw.writeContinue();
    done();
  }

  /** Answers preflights, and `OPTIONS` where no route does. */
  private isAnswered(request: FastifyRequest, reply: FastifyReply): boolean {
    const { routes, crossOrigin } = this.options;
    const { routeInfo, targetForm } = request.context;
    checkHeadSize(request);
    checkTarget(request);
    if (request.method !== 'OPTIONS') return false;
    const isPreflight = crossOrigin.isPreflight(request);
    if (!isPreflight && request.routeOptions.url !== undefined) return false;
    const known = targetForm === 'asterisk' ? routes.allMethods() : routeInfo?.allow;
    const allow = isPreflight ? known || routes.allMethods() : known;
    if (!allow) throw notFound();
    checkExpectation(request);
    checkSingleHeaders(request);
    if (isPreflight) crossOrigin.answerPreflight(reply, allow);
    else answerOptions(reply, allow, routeInfo);
    return true;
  }

  private checkRepresentation(request: FastifyRequest): void {
    const { routeInfo, defect } = request.context;
    if (routeInfo?.isJson) checkAccept(request);
    checkExpectation(request);
    if (routeInfo && !isRead(request.method)) this.checkBody(request, routeInfo);
    checkSingleHeaders(request);
    if (defect) throw defect;
    checkCreation(request);
  }

  /** What comes with a read says nothing (RFC 9110 section 9.3.1) and is not looked at. */
  private checkBody(request: FastifyRequest, { isJson }: RouteInfo): void {
    const { context, headers } = request;
    if (isJson && (context.hasBody || headers['content-type'] !== undefined)) checkContentType(request);
    checkContentLength(request, this.options.bodyLimitBytes);
  }
}

function checkRoute(request: FastifyRequest): void {
  const { routeInfo } = request.context;
  if (!routeInfo?.template || lacksParameter(request, routeInfo)) throw notFound();
  if (request.routeOptions.url === undefined) throw noRoute(request.method, routeInfo.allow);
}

function answerOptions(reply: FastifyReply, allow: string, routeInfo: RouteInfo | undefined): void {
  reply.header('allow', allow);
  // RFC 5789 section 3.1.
  if (routeInfo?.acceptPatch !== undefined) reply.header('accept-patch', routeInfo.acceptPatch);
  void reply.code(204).send();
}

/** The router takes an empty segment for a parameter, so that `/pets/` would be a pet. */
function lacksParameter(request: FastifyRequest, routeInfo: RouteInfo): boolean {
  return routeInfo.hasParameters && Object.entries(request.params ?? {}).some(([name, value]) => value === '' && name !== '*');
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
