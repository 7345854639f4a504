import { Injectable } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { CachedReading, MetricsRegistry } from '#libs/observability';
import { PublicEventFollower } from '#libs/http';
import { OpenStreams } from './streams/open-streams.js';

const SAMPLE = { freshFor: 1_000, patience: 1_000 };

/** The metrics of the feed. */
@Injectable()
export class FeedMetrics {
  constructor(registry: MetricsRegistry, streams: OpenStreams, follower: PublicEventFollower) {
    const registers = [registry];
    const open = new Gauge({
      name: 'adoption_feed_streams',
      help: 'Streams of events, and pages that wait for one, that are open at this instance',
      registers,
      collect() {
        open.set(streams.count);
      },
    });
    const sample = new CachedReading(async () => Number(await follower.lag()), SAMPLE);
    const lag = new Gauge({
      name: 'adoption_feed_lag_positions',
      help: 'Positions of the log that this instance has not handed out to its open streams yet; absent while they cannot be counted',
      registers,
      async collect() {
        lag.remove();
        const positions = await sample.get();
        if (positions !== undefined) lag.set(positions);
      },
    });
  }
}
