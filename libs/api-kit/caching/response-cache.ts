import { LRUCache } from 'lru-cache';

/** The content of a response with the headers that its handler gave it. */
export interface CachedResponse {
  readonly content: Buffer | string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The responses made from one revision of a read model, by the name of the request. */
export type ResponseCache = LRUCache<string, CachedResponse>;

const MOST_BYTES = 16_000_000;
// For the headers of a response and the objects around it.
const BYTES_BESIDE = 1_000;

/** A cache for each read model, empty again with every revision. 16 MB at the most in each; what was used longest ago goes first. */
export class ResponseCaches {
  private readonly caches = new Map<string, { readonly revision: bigint; readonly responses: ResponseCache }>();

  /** @param revision the read model's, asked for after the request came and before anything is read for its answer */
  at(readModel: string, revision: bigint): ResponseCache {
    const known = this.caches.get(readModel);
    if (known?.revision === revision) return known.responses;
    const responses: ResponseCache = new LRUCache({ maxSize: MOST_BYTES, sizeCalculation: bytesOf });
    this.caches.set(readModel, { revision, responses });
    return responses;
  }
}

function bytesOf({ content }: CachedResponse, name: string): number {
  return content.length + name.length + BYTES_BESIDE;
}
