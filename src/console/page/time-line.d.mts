/** The stream that a text names: a number alone is the one of an animal. */
export function streamOf(text: string): string;

/** The streams that a member of an event's data names, such as `petId`. */
export function streamNamed(name: string, value: unknown): string | null;

/** The members of each event's data, oldest event first, with the value that they had before where that is known and another one. */
export function changesOf(
  items: readonly { readonly data: object | null }[],
): { readonly name: string; readonly value: unknown; readonly before?: unknown }[][];
