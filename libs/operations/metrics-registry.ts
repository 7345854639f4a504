import { Registry } from 'prom-client';

/** The metrics of one running service. Every module adds its own; all names begin with `adoption_`. */
export class MetricsRegistry extends Registry {}
