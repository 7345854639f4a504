import { LRUCache } from 'lru-cache';
import { ResponseCaches, type ResponseCache, type CachedResponse, type RevisionOf } from '#libs/api-kit';

// Beyond it a document costs more to be remembered than one asks for often.
const LONGEST_NAME = 4_000;
const MOST_NAMES = 1_000;

/** A result that was made, and the read model that it was made from alone, if there is one. */
export interface MadeResult {
  readonly response: CachedResponse;
  readonly readModel: string | undefined;
}

/**
 * Results as bytes, by all that the request asked for, until the read model they were made from changes. The first request with a
 * name tells what its result is made from, the second one's is cached: making a page of 20 takes 250 µs, finding it 5.
 */
export class CachedResults {
  private readonly caches = new ResponseCaches();
  private readonly readModels = new LRUCache<string, string>({ max: MOST_NAMES });

  constructor(private readonly revisionOf: RevisionOf) {}

  /** The response that is cached, or else the one that `make` makes. */
  async respond(name: string, make: () => Promise<MadeResult>): Promise<CachedResponse> {
    const cache = await this.cacheOf(name);
    const cached = cache?.get(name);
    if (cached) return cached;
    const { response, readModel } = await make();
    if (readModel !== undefined) {
      if (name.length <= LONGEST_NAME) this.readModels.set(name, readModel);
      cache?.set(name, response);
    }
    return response;
  }

  /** None where the database cannot be asked: the result then says so itself. */
  private async cacheOf(name: string): Promise<ResponseCache | undefined> {
    const readModel = this.readModels.get(name);
    if (readModel === undefined) return undefined;
    return this.revisionOf(readModel).then(
      (revision) => this.caches.at(readModel, revision),
      () => undefined,
    );
  }
}
