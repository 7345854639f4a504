import { Registry } from 'prom-client';

/** The metrics of one running service. Every module adds its own. */
export class MetricsRegistry extends Registry {
  /** @param prefix what the names of the metrics that libraries add begin with, such as `shop_` */
  constructor(readonly prefix = '') {
    super();
  }
}
