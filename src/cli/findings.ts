/** What was found wrong and what to do about it, one sentence each. */
export interface Findings {
  readonly problems: string[];
  readonly next: string[];
}
