import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CachedRoute } from './cached-while-unchanged.decorator.js';
import { ResponseCaches, type ResponseCache } from './response-cache.js';

/**
 * The revision of a read model, which grows whenever its rows change. What is read afterwards is of this revision or a later one,
 * and holds whatever was acknowledged before the call.
 */
export type RevisionOf = (readModel: string) => Promise<bigint>;

export interface CachedResponsesOptions {
  readonly revisionOf: RevisionOf;
  readonly now: () => Date;
}

type Done = (error?: Error) => void;

/**
 * Responses of routes marked by `CachedWhileUnchanged`, as bytes. A page of 20 took 90 µs to be read, written and hashed; asking for the
 * revision takes 1 µs, shared by all requests of a turn of the event loop.
 */
export class CachedResponses {
  private readonly caches = new ResponseCaches();

  constructor(private readonly options: CachedResponsesOptions) {}

  /** An `onRequest` hook, after admission: sends what is cached, or has the response cached that is made now. */
  readonly find = (request: FastifyRequest, reply: FastifyReply, done: Done): void => {
    const { cached } = request.routeOptions.config;
    if (cached === undefined || !this.isCached(cached, request)) {
      done();
      return;
    }
    this.options.revisionOf(cached.readModel).then((revision) => {
      const cache = this.caches.at(cached.readModel, revision);
      const response = cache.get(request.url);
      if (response) void reply.headers(response.headers).send(response.content);
      else {
        this.cacheNext(cache, request, reply);
        done();
      }
    }, done);
  };

  private isCached({ until }: CachedRoute, { method, exchange }: FastifyRequest): boolean {
    return method === 'GET' && !exchange.hasBody && (until === undefined || this.options.now() < until);
  }

  private cacheNext(cache: ResponseCache, request: FastifyRequest, reply: FastifyReply): void {
    const ownOfTheRequest = new Set(Object.keys(reply.getHeaders()));
    request.exchange.onContent = (content) => {
      const given = Object.entries(reply.getHeaders()).filter(([name]) => !ownOfTheRequest.has(name));
      const headers = Object.fromEntries(given.map(([name, value]) => [name, String(value)]));
      cache.set(request.url, { content: Buffer.from(content), headers });
    };
  }
}
