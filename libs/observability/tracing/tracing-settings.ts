/** The values of `OTEL_TRACES_SAMPLER` (https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/). */
export const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

/** Which traces are recorded, and their destination. */
export interface TracingSettings {
  /** The whole URL that OTLP over HTTP is posted to. */
  readonly url: string;
  /** Often secrets. */
  readonly headers: Readonly<Record<string, string>>;
  readonly sampler: (typeof SAMPLERS)[number];
  /** The share of traces that a ratio sampler records, from 0 to 1. */
  readonly ratio: number;
}

export interface TracingOptions {
  readonly settings: TracingSettings;
  /** `name` holds unless `OTEL_SERVICE_NAME` or `OTEL_RESOURCE_ATTRIBUTES` says another; `deployment` is for example `production`. */
  readonly service: { readonly name: string; readonly version: string; readonly deployment: string };
  /** Called once a minute at most with the reason why spans are lost; never with a secret. */
  readonly warn: (message: string) => void;
}
