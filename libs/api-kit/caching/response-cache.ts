/** The content of a response with the headers that its handler gave it. */
export interface CachedResponse {
  readonly content: Buffer | string;
  readonly headers: Readonly<Record<string, string>>;
}

const MOST_BYTES = 16_000_000;
// For the headers of a response and the objects around it.
const BYTES_BESIDE = 1_000;

/** The responses made from one revision of a read model, by the name of the request. 16 MB at the most; the oldest goes first. */
export class ResponseCache {
  private readonly responses = new Map<string, CachedResponse>();
  private bytes = 0;

  constructor(readonly revision: bigint) {}

  get(name: string): CachedResponse | undefined {
    return this.responses.get(name);
  }

  set(name: string, response: CachedResponse): void {
    if (this.responses.has(name)) return;
    this.responses.set(name, response);
    this.bytes += bytesOf(name, response);
    for (const [oldest, cached] of this.responses) {
      if (this.bytes <= MOST_BYTES) return;
      this.responses.delete(oldest);
      this.bytes -= bytesOf(oldest, cached);
    }
  }
}

/** The cache of each read model, empty again with every revision. */
export class ResponseCaches {
  private readonly caches = new Map<string, ResponseCache>();

  /** @param revision the read model's, asked for after the request came and before anything is read for its answer */
  at(readModel: string, revision: bigint): ResponseCache {
    const known = this.caches.get(readModel);
    if (known?.revision === revision) return known;
    const cache = new ResponseCache(revision);
    this.caches.set(readModel, cache);
    return cache;
  }
}

function bytesOf(name: string, { content }: CachedResponse): number {
  return content.length + name.length + BYTES_BESIDE;
}
