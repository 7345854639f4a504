/** An error code of a module: what `ApplicationError` is made with beside the codes of the error table. */
export interface ErrorDefinition {
  readonly code: string;
  readonly status: number;
  /** What it says, as a sentence for the document. */
  readonly description: string;
  /** What a client does about it, as sentences; what its status says in general when left out. */
  readonly remedy?: string;
}

/** The error codes of a module by their names. */
export type ErrorCodes = Readonly<Record<string, ErrorDefinition>>;

/** Names the codes of a module: lower snake case, each with the status of its answer and what it says. */
export function errorCodes<Code extends string>(
  definitions: Readonly<Record<Code, Omit<ErrorDefinition, 'code'>>>,
): Readonly<Record<Code, ErrorDefinition>> {
  const entries = Object.entries<Omit<ErrorDefinition, 'code'>>(definitions);
  return Object.fromEntries(entries.map(([code, definition]) => [code, { code, ...definition }])) as Record<Code, ErrorDefinition>;
}
