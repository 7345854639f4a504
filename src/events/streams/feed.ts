import { Injectable } from '@nestjs/common';
import {
  startOpenEnded,
  takeResponse,
  matchesFilter,
  PublicEventFollower,
  PublicEventLog,
  type Following,
  type PublicEventFilter,
} from '#libs/http';
import { Clock } from '#libs/observability';
import type { FastifyReply } from 'fastify';
import type { Caller } from '../../auth/index.js';
import { EventStream, STREAM_HEADERS } from './event-stream.js';
import { EventSubscription } from './event-subscription.js';
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
    private readonly log: PublicEventLog,
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
    const { clock, log, follower } = this;
    const remove = this.streams.add(reply.request, caller, () => {
      const stream = new EventStream(takeResponse(reply, STREAM_HEADERS), after, clock);
      const subscription = new EventSubscription({ log, follower, filter, after }, stream);
      startOpenEnded(reply, () => {
        stream.end();
        subscription.end();
        remove();
      });
      void subscription.run((position) => {
        if (after === undefined) stream.bookmark(position);
      });
      return { end: () => stream.end(), tick: () => stream.keepAlive(subscription.position) };
    });
  }

  /**
   * Waits for a matching event after a position, for at most `timeout` milliseconds, or until the client disconnects or loses access.
   * @param isThere checks whether there is one already; called after the subscription has begun
   * @throws as `OpenStreams.add` does; DatabaseUnavailableError
   */
  async waitFor(
    { reply, caller, filter }: SubscriptionRequest,
    { after, timeout, isThere }: { readonly after: bigint; readonly timeout: number; readonly isThere: () => Promise<boolean> },
  ): Promise<void> {
    let settle: () => void = () => undefined;
    const settled = new Promise<void>((resolve) => (settle = resolve));
    const remove = this.streams.add(reply.request, caller, () => ({ end: settle }));
    startOpenEnded(reply, settle);
    const timer = setTimeout(settle, timeout);
    let following: Following | undefined;
    try {
      following = await this.follower.follow(({ events }) => {
        if (events.some((event) => event.position > after && matchesFilter(filter, event))) settle();
      });
      if (!(await isThere())) await settled;
    } finally {
      following?.end();
      clearTimeout(timer);
      remove();
    }
  }
}
