/** How the service is as a whole: a state, and a sentence that says why. */
export function conditionOf(health: {
  readonly status: 'ready' | 'unavailable';
  readonly draining: boolean;
  readonly parts: readonly { readonly name: string; readonly state: string; readonly detail?: string }[];
}): { readonly state: string; readonly sentence: string };

/** What the tab of the page is called in a state. */
export function titleOf(state: string, title: string): string;
