import { schemaOf, type InputClass, type RuleSchema } from '#libs/validation';
import { addRouteConfig, routeConfigOf, setRouteMetadata } from '../routes/route-config.js';

/** What a route reads of a request, as its parameters are decorated. */
export interface RouteReads {
  readonly query?: new () => object;
  readonly body?: DescribedBody;
  /** Parameters in the path by their names, with what each is. */
  readonly path?: Readonly<Record<string, string>>;
  /** Headers of its own by their names, with what each is. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether it takes an `Idempotency-Key`. */
  readonly idempotencyKey?: true;
  /** Whether it takes an `If-Match` and an `If-None-Match` that are held against what it changes. */
  readonly precondition?: true;
}

export interface DescribedBody {
  /** Its rules say what the members of the body are. */
  readonly type: InputClass;
  /** Its properties that are no members of the body, but come from elsewhere in the request, such as from the path. */
  readonly without?: readonly string[];
  /** The name of the schema in the document, such as `NewPet`. */
  readonly schema: string;
  /** What the schema is, for readers of the document. */
  readonly description?: string;
  /** What it stands for in messages, such as `a new animal`. */
  readonly noun: string;
  /** Bodies as clients send them, by what each shows. */
  readonly examples: Readonly<Record<string, { readonly value: unknown }>>;
  /** Whether a request may come without one, which counts as a body without members; false when left out. */
  readonly optional?: true;
  /** What it may be sent as, in lower case, each read as JSON in UTF-8; `application/json` alone when left out. */
  readonly mediaTypes?: readonly string[];
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Said by every route of a controller; one that says nothing stops the start. */
    reads?: RouteReads;
  }
}

export const JSON_MEDIA_TYPE = 'application/json';

const JSON_ALONE: readonly string[] = [JSON_MEDIA_TYPE];

/** What a body may be sent as; where a route describes none, `application/json`. */
export function mediaTypesOf(body: DescribedBody | undefined): readonly string[] {
  return body?.mediaTypes ?? JSON_ALONE;
}

/** Adds to what a handler's route reads; for the decorators of its parameters. */
export function addRouteReads(target: object, handler: string | symbol | undefined, reads: RouteReads): void {
  if (handler === undefined) throw new TypeError('Only a parameter of a method reads a request.');
  const { reads: before } = routeConfigOf(target, handler);
  const [path, headers] = [
    { ...before?.path, ...reads.path },
    { ...before?.headers, ...reads.headers },
  ];
  addRouteConfig(target, handler, { reads: { ...before, ...reads, path, headers } });
}

/** Says that a route reads neither path nor query nor body. */
export function NoInput(): MethodDecorator {
  return setRouteMetadata({ reads: {} });
}

/**
 * The properties of a body's class that are members of the body, with their schemas.
 * @throws TypeError where `without` names what is no property of it
 */
export function membersOf({ type, without = [] }: Pick<DescribedBody, 'type' | 'without'>): readonly (readonly [string, RuleSchema])[] {
  const { properties } = schemaOf(type);
  const unknown = without.filter((name) => !(name in properties));
  if (unknown.length > 0) throw new TypeError(`${type.name} has no rules for ${unknown.join(', ')}, which its body is to be without.`);
  return Object.entries(properties).filter(([name]) => !without.includes(name));
}
