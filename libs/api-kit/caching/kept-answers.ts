import type { FastifyReply, FastifyRequest } from 'fastify';
import { AnswerShelves, type AnswerShelf } from './answer-shelf.js';
import type { KeptRoute } from './kept-while-unchanged.decorator.js';

/**
 * The revision of a read model, which grows whenever its rows change. What is read afterwards is of this revision or a later one,
 * and holds whatever was acknowledged before the call.
 */
export type RevisionOf = (readModel: string) => Promise<bigint>;

export interface KeptAnswersOptions {
  readonly revisionOf: RevisionOf;
  readonly now: () => Date;
}

type Done = (error?: Error) => void;

/**
 * Answers of routes marked by `KeptWhileUnchanged`, as bytes. A page of 20 took 90 µs to be read, written and hashed; asking for the
 * revision takes 1 µs, shared by all requests of a turn of the event loop.
 */
export class KeptAnswers {
  private readonly shelves = new AnswerShelves();

  constructor(private readonly options: KeptAnswersOptions) {}

  /** An `onRequest` hook, after admission: sends what is kept, or has the answer kept that is made now. */
  readonly find = (request: FastifyRequest, reply: FastifyReply, done: Done): void => {
    const { kept } = request.routeOptions.config;
    if (kept === undefined || !this.isKept(kept, request)) {
      done();
      return;
    }
    this.options.revisionOf(kept.readModel).then((revision) => {
      const shelf = this.shelves.at(kept.readModel, revision);
      const answer = shelf.get(request.url);
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

  private keepNext(shelf: AnswerShelf, request: FastifyRequest, reply: FastifyReply): void {
    const ownOfTheRequest = new Set(Object.keys(reply.getHeaders()));
    request.exchange.onContent = (content) => {
      const given = Object.entries(reply.getHeaders()).filter(([name]) => !ownOfTheRequest.has(name));
      const headers = Object.fromEntries(given.map(([name, value]) => [name, String(value)]));
      shelf.keep(request.url, { content: Buffer.from(content), headers });
    };
  }
}
