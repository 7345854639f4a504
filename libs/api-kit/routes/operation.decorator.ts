import { HttpCode } from '@nestjs/common';
import type { ReferenceObject } from '@nestjs/swagger';
import { addRouteConfig } from './route-config.js';

/** What a route does, for the document. What it reads, needs and refuses for that follows from its other decorators. */
export interface DescribedOperation {
  /** The `operationId`, such as `listPets`: unique, and kept for ever, since idempotency keys and clients go by it. */
  readonly id: string;
  readonly summary: string;
  readonly description: string;
  readonly answer: DescribedAnswer;
  /** What it refuses beside what any operation refuses and what follows from what it reads; such as 404. */
  readonly refuses?: readonly RefusalStatus[];
  /** That it may still change, as `x-stability` says in the document; it is stable when left out. */
  readonly stability?: 'experimental' | 'beta';
}

/** Statuses that an operation says of itself. */
export type RefusalStatus = 404 | 409 | 410 | 422;

export interface DescribedAnswer {
  /** The status of the answer and in the document; 201 for `POST`, 200 for the others, when left out. */
  readonly status?: 200 | 201 | 202 | 204;
  readonly description: string;
  /** None for an answer without a body. */
  readonly schema?: ReferenceObject;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
  /** The further forms in which it is given to who asks for them in `Accept`, by their media types; `application/json` alone when left out. */
  readonly representations?: Readonly<Record<string, DescribedRepresentation>>;
  /**
   * Whether it has an `ETag` by which it can be asked for again: that of a read whose responses are not cached; or that which `GET` would
   * give what was written, for the client to go on from. False when left out.
   */
  readonly tagged?: true;
  /** What further headers it may have, and what each tells; pages of other origins may read them too. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A form of an answer beside JSON. */
export type DescribedRepresentation = Pick<DescribedAnswer, 'schema' | 'examples'>;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Said by every route of a controller; one that says nothing stops the start. */
    operation?: DescribedOperation;
    /** The controller of an operation, for the tags of its class. */
    controller?: object;
  }
}

/** Describes a handler's operation for the document and sets the status of its response. */
export function Operation(operation: DescribedOperation): MethodDecorator {
  const { status } = operation.answer;
  return (target, handler, descriptor) => {
    addRouteConfig(target, handler, { operation, controller: target.constructor });
    if (status !== undefined) HttpCode(status)(target, handler, descriptor);
  };
}
