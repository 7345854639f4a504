import 'reflect-metadata';
import { HttpCode, type Type } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { ReferenceObject } from '@nestjs/swagger';
import type { FastifyContextConfig, FastifyRequest } from 'fastify';
import { getInputSchema, type InputClass, type RuleSchema } from '../validation/rules.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Set for every route; one without it stops the start. */
    access?: RouteAccess;
    admittedBy?: AdmissionCheckClass;
    cached?: CachedRoute;
    /** Set for every route of a controller; one without it stops the start. */
    operation?: DescribedOperation;
    /** The controller of an operation, for the tags of its class. */
    controller?: object;
    /** Set for every route of a controller; one without it stops the start. */
    reads?: RouteReads;
  }
}

/** Who may call a route: everybody, callers with any valid key, or callers with a key of this scope. */
export type RouteAccess = 'public' | 'key' | { readonly scope: string };

/** A route whose responses are cached. */
export interface CachedRoute {
  /** The name of the read model from which its responses are made, and from nothing else. */
  readonly readModel: string;
  /**
   * Set if its responses depend on the id and the scopes of the API key too. The `ETag` of a page is then of this key; that of a single
   * thing is of its content, so that every key that sees it may name it in `If-Match`.
   */
  readonly perKey?: true;
}

/** What a route does, for the document. What it reads, needs and refuses because of that follows from its other decorators. */
export interface DescribedOperation {
  /** The `operationId`, such as `listPets`: unique and kept for ever, since idempotency keys and clients depend on it. */
  readonly id: string;
  readonly summary: string;
  readonly description: string;
  readonly answer: DescribedAnswer;
  /** Statuses such as 404 that do not follow from what it reads. */
  readonly refuses?: readonly RefusalStatus[];
  /** A statement in TypeScript that sends the request of the other code samples by `client`. Default: no such sample. */
  readonly clientSample?: string;
  /** Whether it may still change: the document marks one that is not stable with `x-stability`. Default: `experimental`. */
  readonly stability?: 'experimental' | 'beta' | 'stable';
}

type RefusalStatus = 404 | 409 | 410 | 422;

export interface DescribedAnswer {
  /** Default: 201 for `POST`, 200 for the others. */
  readonly status?: 200 | 201 | 202 | 204;
  readonly description: string;
  /** None for a response without a body. */
  readonly schema?: ReferenceObject;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
  /** Other forms than JSON, by their media types, for clients that prefer them in `Accept`. */
  readonly representations?: Readonly<Record<string, Pick<DescribedAnswer, 'schema' | 'examples'>>>;
  /** Set if a read that is not cached has an `ETag`, or if a write has the `ETag` that `GET` would give. */
  readonly tagged?: true;
  /** Further headers and their meanings; pages of other origins may read them. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a route reads of a request. The decorators of its parameters set it. */
export interface RouteReads {
  readonly query?: new () => object;
  readonly body?: DescribedBody;
  /** Descriptions of the path parameters by their names. */
  readonly path?: Readonly<Record<string, string>>;
  /** Descriptions of further headers by their names. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether it takes an `Idempotency-Key`. */
  readonly idempotencyKey?: true;
  /** Whether it takes an `If-Match` and an `If-None-Match` for what it changes. */
  readonly precondition?: true;
}

export interface DescribedBody {
  /** The class whose rules describe the members of the body. */
  readonly type: InputClass;
  /** Properties of the class that are not in the body but, for example, in the path. */
  readonly without?: readonly string[];
  /** The name of the schema in the document, such as `NewPet`. */
  readonly schema: string;
  /** Describes the schema in the document. */
  readonly description?: string;
  /** The noun in error messages, such as `a new animal`. */
  readonly noun: string;
  /** Sample bodies by what each shows. */
  readonly examples: Readonly<Record<string, { readonly value: unknown }>>;
  /** Whether a request may have no body, which counts as a body without members. */
  readonly optional?: true;
  /** Media types in lower case, each read as JSON in UTF-8. Default: `application/json`. */
  readonly mediaTypes?: readonly string[];
}

/** A part of admission for some routes: a provider of the module whose routes name it. */
export abstract class AdmissionCheck {
  /** Scopes that `check` requires of the key beside that of the route; the document names them. Default: none. */
  static readonly scopes: readonly string[] = [];

  /**
   * Looks at the head of a request whose caller is known, before its method and its body are checked.
   * @throws ApplicationError to refuse it, also as a rejection
   */
  abstract check(request: FastifyRequest): Promise<void> | void;
}

/** A class of checks with the scopes that it requires. */
export type AdmissionCheckClass = Type<AdmissionCheck> & Pick<typeof AdmissionCheck, 'scopes'>;

type RouteMetadata = Partial<FastifyContextConfig>;

const METADATA = Symbol('route metadata');

/** Returns what decorators have set for a handler's route so far. */
export function getRouteConfig(target: object, handler: string | symbol): RouteMetadata {
  return (Reflect.getMetadata(METADATA, target, handler) as RouteMetadata | undefined) ?? {};
}

/** Adds metadata to a handler's route; for the decorators of a handler and of its parameters. */
export function addRouteConfig(target: object, handler: string | symbol, added: RouteMetadata): void {
  const metadata: RouteMetadata = { ...getRouteConfig(target, handler), ...added };
  Reflect.defineMetadata(METADATA, metadata, target, handler);
  RouteConfig(metadata)(target, handler, getDescriptor(target, handler));
}

/**
 * Returns a decorator for a handler or, on a class, for each handler that does not have the same metadata itself.
 * @param others are applied to the same handlers
 */
export function setHandlerMetadata(added: RouteMetadata, ...others: readonly MethodDecorator[]): MethodDecorator & ClassDecorator {
  const apply = (target: object, handler: string | symbol): void => {
    addRouteConfig(target, handler, added);
    for (const decorate of others) decorate(target, handler, getDescriptor(target, handler));
  };
  return (target: object, handler?: string | symbol): void => {
    if (handler !== undefined) {
      apply(target, handler);
      return;
    }
    const { prototype } = target as { readonly prototype: object };
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
      if (name === 'constructor' || typeof value !== 'function') continue;
      const known = getRouteConfig(prototype, name);
      if (!Object.keys(added).some((key) => key in known)) apply(prototype, name);
    }
  };
}

function getDescriptor(target: object, handler: string | symbol): PropertyDescriptor {
  const descriptor = Object.getOwnPropertyDescriptor(target, handler);
  if (descriptor) return descriptor;
  throw new TypeError(`${String(handler)} is no method of ${target.constructor.name} itself.`);
}

/** Adds to what a handler's route reads; for the decorators of its parameters. */
export function addRouteReads(target: object, handler: string | symbol | undefined, added: RouteReads): void {
  if (handler === undefined) throw new TypeError('Only a parameter of a method reads a request.');
  const { reads } = getRouteConfig(target, handler);
  const path = { ...reads?.path, ...added.path };
  const headers = { ...reads?.headers, ...added.headers };
  addRouteConfig(target, handler, { reads: { ...reads, ...added, path, headers } });
}

/**
 * Describes a handler's operation for the document and sets the status of its response. The name of the handler is the operation's `id`,
 * which clients and stored idempotency keys know: who renames the handler has to give the former name as `id`.
 */
export function Operation(described: Omit<DescribedOperation, 'id'> & Partial<Pick<DescribedOperation, 'id'>>): MethodDecorator {
  const { status } = described.answer;
  return (target, handler, descriptor) => {
    addRouteConfig(target, handler, { operation: { id: String(handler), ...described }, controller: target.constructor });
    if (status !== undefined) HttpCode(status)(target, handler, descriptor);
  };
}

/** The route reads neither path nor query nor body. */
export function NoInput(): MethodDecorator {
  return setHandlerMetadata({ reads: {} });
}

/** Runs a check for the requests of a controller or one of its handlers, after the caller is known. */
export function AdmittedBy(check: AdmissionCheckClass): MethodDecorator & ClassDecorator {
  return setHandlerMetadata({ admittedBy: check });
}

/** Marks a handler whose responses are kept, by the object that declares how. */
export const KeptResponses = Reflector.createDecorator<object>();

/**
 * Caches the 200 responses to `GET` by their URL until the read model changes. For a handler whose response depends on nothing but the URL
 * and the read model, and with `perKey` on the key. A handler with a guard, a pipe or an interceptor is not cached, see `SkippedIfCached`.
 */
export function CacheByProjection(route: CachedRoute): MethodDecorator {
  return setHandlerMetadata({ cached: route }, KeptResponses(route));
}

/** Whose responses an enhancer has to run for although it is skipped for others. */
export interface Unless {
  /** @param target a handler or its class */
  readonly unless?: (target: object) => boolean;
}

/** Marks a guard, an interceptor or a pipe that need not run for cached responses. */
export const SkippedIfCached = Reflector.createDecorator<Unless | undefined, Unless>({ transform: (options) => options ?? {} });

export const JSON_MEDIA_TYPE = 'application/json';
const JSON_ONLY: readonly string[] = [JSON_MEDIA_TYPE];

/** Returns the media types of a body; `application/json` if a route describes none. */
export function listMediaTypes(body: DescribedBody | undefined): readonly string[] {
  return body?.mediaTypes ?? JSON_ONLY;
}

/**
 * Returns the members of a body with their schemas.
 * @throws TypeError if `without` names a property that the class does not have
 */
export function listMembers({ type, without = [] }: Pick<DescribedBody, 'type' | 'without'>): readonly (readonly [string, RuleSchema])[] {
  const { properties } = getInputSchema(type);
  const unknown = without.filter((name) => !(name in properties));
  if (unknown.length > 0) throw new TypeError(`${type.name} has no rules for ${unknown.join(', ')}, which its body is to be without.`);
  return Object.entries(properties).filter(([name]) => !without.includes(name));
}
