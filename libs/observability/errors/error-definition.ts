/** An error code. */
export interface ErrorDefinition {
  readonly code: string;
  readonly status: number;
  /** What it means. */
  readonly description: string;
  /** What a client does about it, and whether to send the request again. */
  readonly remedy: string;
}

/** Error codes by their names. */
export type ErrorCodes = Readonly<Record<string, ErrorDefinition>>;

/** Defines codes, in lower snake case. */
export function errorCodes<Code extends string>(
  definitions: Readonly<Record<Code, Omit<ErrorDefinition, 'code'>>>,
): Readonly<Record<Code, ErrorDefinition>> {
  const entries = Object.entries<Omit<ErrorDefinition, 'code'>>(definitions);
  return Object.fromEntries(entries.map(([code, definition]) => [code, { code, ...definition }])) as Record<Code, ErrorDefinition>;
}
