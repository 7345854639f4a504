/** As `OTEL_TRACES_SAMPLER` names them (https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/). */
export const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

/** Where traces go to, and which. */
export interface TracingSettings {
  /** The whole address, as OTLP over HTTP is posted to. */
  readonly url: string;
  /** Secrets, as a rule. */
  readonly headers: Readonly<Record<string, string>>;
  readonly sampler: (typeof SAMPLERS)[number];
  /** Of the traces that a sampler of a ratio decides about, from 0 to 1. */
  readonly ratio: number;
}

/** Who sends them. */
export interface TracedService {
  /** As it is called where `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES` do not say. */
  readonly name: string;
  readonly version: string;
  /** Such as `production`. */
  readonly deployment: string;
}

export interface TracingOptions {
  readonly settings: TracingSettings;
  readonly service: TracedService;
  /** Told, seldom, why spans are lost; never with a secret. */
  readonly warn: (message: string) => void;
}
