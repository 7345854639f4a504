import type { InputClass } from '#libs/validation';
import { addRouteConfig, routeConfigOf, saysOfRoute } from '../routes/route-config.js';

/** What a route reads of a request, as its parameters are decorated. */
export interface RouteReads {
  readonly query?: new () => object;
  readonly body?: DescribedBody;
  /** Parameters in the path by their names, with what each is. */
  readonly path?: Readonly<Record<string, string>>;
  /** Whether it takes an `Idempotency-Key`. */
  readonly idempotencyKey?: true;
}

export interface DescribedBody {
  readonly type: InputClass;
  /** The name of the schema in the document, such as `NewPet`. */
  readonly schema: string;
  /** What it stands for in messages, such as `a new animal`. */
  readonly noun: string;
  /** Bodies as clients send them, by what each shows. */
  readonly examples: Readonly<Record<string, { readonly value: unknown }>>;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Said by every route of a controller; one that says nothing stops the start. */
    reads?: RouteReads;
  }
}

/** Adds to what a handler's route reads; for the decorators of its parameters. */
export function addRouteReads(target: object, handler: string | symbol | undefined, reads: RouteReads): void {
  if (handler === undefined) throw new TypeError('Only a parameter of a method reads a request.');
  const { reads: before } = routeConfigOf(target, handler);
  addRouteConfig(target, handler, { reads: { ...before, ...reads, path: { ...before?.path, ...reads.path } } });
}

/** Says that a route reads neither path nor query nor body. */
export function ReadsNothing(): MethodDecorator {
  return saysOfRoute({ reads: {} });
}
