import type { FastifyReply, FastifyRequest } from 'fastify';
import type { KeptRoute } from './kept-while-unchanged.decorator.js';

export interface KeptAnswersOptions {
  /**
   * The revision of a read model, which grows whenever its rows change. What is read afterwards is of this revision or a later one,
   * and holds whatever was acknowledged before the call.
   */
  readonly revisionOf: (readModel: string) => Promise<bigint>;
  readonly now: () => Date;
}

/** The content of an answer with the headers that its handler gave it. */
interface KeptAnswer {
  readonly content: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

/** The answers of one revision of a read model. */
interface Shelf {
  readonly revision: bigint;
  readonly answers: Map<string, KeptAnswer>;
  bytes: number;
}

type Done = (error?: Error) => void;

const MOST_BYTES_OF_A_READ_MODEL = 16_000_000;
// For the headers of an answer and the objects around it.
const BYTES_BESIDE = 1_000;

/**
 * Answers of routes marked by `KeptWhileUnchanged`, as bytes. A page of 20 took 90 µs to be read, written and hashed; asking for the
 * revision takes 1 µs, shared by all requests of a turn of the event loop.
 */
export class KeptAnswers {
  private readonly shelves = new Map<string, Shelf>();

  constructor(private readonly options: KeptAnswersOptions) {}

  /** An `onRequest` hook, after admission: sends what is kept, or has the answer kept that is made now. */
  readonly find = (request: FastifyRequest, reply: FastifyReply, done: Done): void => {
    const { kept } = request.routeOptions.config;
    if (kept === undefined || !this.isKept(kept, request)) {
      done();
      return;
    }
    this.options.revisionOf(kept.readModel).then((revision) => {
      const shelf = this.shelfOf(kept.readModel, revision);
      const answer = shelf.answers.get(request.url);
      if (answer) void reply.headers(answer.headers).send(answer.content);
      else {
        this.keepNext(shelf, request, reply);
        done();
      }
    }, done);
  };

  private isKept({ until }: KeptRoute, { method, exchange }: FastifyRequest): boolean {
    return method === 'GET' && !exchange.hasBody && (until === undefined || this.options.now() < until);
  }

  private shelfOf(readModel: string, revision: bigint): Shelf {
    const known = this.shelves.get(readModel);
    return known?.revision === revision ? known : this.clear(readModel, revision);
  }

  private clear(readModel: string, revision: bigint): Shelf {
    const shelf = { revision, answers: new Map<string, KeptAnswer>(), bytes: 0 };
    this.shelves.set(readModel, shelf);
    return shelf;
  }

  private keepNext(shelf: Shelf, request: FastifyRequest, reply: FastifyReply): void {
    const ownOfTheRequest = new Set(Object.keys(reply.getHeaders()));
    request.exchange.onContent = (content) => {
      const given = Object.entries(reply.getHeaders()).filter(([name]) => !ownOfTheRequest.has(name));
      const headers = Object.fromEntries(given.map(([name, value]) => [name, String(value)]));
      this.keep(shelf, request.url, { content: Buffer.from(content), headers });
    };
  }

  private keep(shelf: Shelf, url: string, answer: KeptAnswer): void {
    if (shelf.answers.has(url)) return;
    shelf.answers.set(url, answer);
    shelf.bytes += bytesOf(url, answer);
    for (const [oldest, kept] of shelf.answers) {
      if (shelf.bytes <= MOST_BYTES_OF_A_READ_MODEL) return;
      shelf.answers.delete(oldest);
      shelf.bytes -= bytesOf(oldest, kept);
    }
  }
}

function bytesOf(url: string, { content }: KeptAnswer): number {
  return content.length + url.length + BYTES_BESIDE;
}
