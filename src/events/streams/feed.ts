import { Injectable } from '@nestjs/common';
import { startOpenEnded, takeResponse, PublicEventFollower, type PublicEventFilter } from '#libs/http';
import { Clock } from '#libs/observability';
import type { FastifyReply } from 'fastify';
import type { Caller } from '../../auth/index.js';
import { EventStream, sendEvents, STREAM_HEADERS } from './event-stream.js';
import { OpenStreams } from './open-streams.js';

export interface SubscriptionRequest {
  readonly reply: FastifyReply;
  readonly caller: Caller;
  readonly filter: PublicEventFilter;
}

/** Serves event streams and pages that wait for events. */
@Injectable()
export class Feed {
  constructor(
    private readonly follower: PublicEventFollower,
    private readonly streams: OpenStreams,
    private readonly clock: Clock,
  ) {}

  /**
   * Responds with a stream of matching events.
   * @param after position after which it begins; undefined for the end of the log, which is then sent as a bookmark
   * @throws as `OpenStreams.add` does, before the response begins
   */
  open({ reply, caller, filter }: SubscriptionRequest, after: bigint | undefined): void {
    const { clock, follower } = this;
    const remove = this.streams.add(reply.request, caller, () => {
      const stream = new EventStream(takeResponse(reply, STREAM_HEADERS), after, clock);
      const following = follower.follow({ filter: () => filter, after });
      startOpenEnded(reply, () => {
        stream.end();
        following.end();
        remove();
      });
      void sendEvents(following, stream, (position) => {
        if (after === undefined) stream.bookmark(position);
      });
      return { end: () => stream.end(), tick: () => stream.keepAlive(following.position) };
    });
  }

  /**
   * Waits for a matching event after a position, for at most `timeout` milliseconds, or until the client disconnects or loses access.
   * @throws as `OpenStreams.add` does; DatabaseUnavailableError
   */
  async waitFor(
    { reply, caller, filter }: SubscriptionRequest,
    { after, timeout }: { readonly after: bigint; readonly timeout: number },
  ): Promise<void> {
    const following = this.follower.follow({ filter: () => filter, after });
    const end = () => following.end();
    let remove = end;
    const timer = setTimeout(end, timeout);
    try {
      remove = this.streams.add(reply.request, caller, () => ({ end }));
      startOpenEnded(reply, end);
      let page = await following.next();
      while (page?.events.length === 0) page = await following.next();
    } finally {
      end();
      clearTimeout(timer);
      remove();
    }
  }
}
