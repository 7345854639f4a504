/** How one part of the service is. `degraded`: it serves, with less than it should have. */
export interface PartState {
  readonly state: 'ready' | 'degraded' | 'unavailable';
  /** What an operator should know of it. Without secrets. */
  readonly detail?: string;
}

/** Something that the service needs to answer requests, such as its database. */
export interface HealthPart {
  /** Stable, lower case, such as `database`. */
  readonly name: string;
  /** Looks at the part now. A rejection means `unavailable`. It may take any time: nobody waits longer than a moment. */
  check(): PartState | Promise<PartState>;
}
