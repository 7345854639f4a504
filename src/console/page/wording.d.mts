/** A number with its thousands apart, also one in a text that is too great for a number. */
export function count(value: number | string | null | undefined): string;

/** Milliseconds with three digits at most, from a second on as seconds. */
export function milliseconds(value: number | null | undefined): string;

/** Bytes in the unit that leaves the fewest digits. */
export function bytes(value: number | null | undefined): string;

/** A part of one as percent. */
export function percent(share: number | null | undefined): string;

/** Seconds in their two greatest units, such as `4 min 12 s`. */
export function duration(seconds: number): string;

/** How long ago a moment was, at a time in milliseconds. */
export function ago(moment: number | string, now: number): string;

/** How long it takes until a moment. */
export function until(moment: number | string, now: number): string;

/** The time of day where the browser is; with the date where that is another one than `now` has. */
export function clock(moment: number | string, now?: number | string): string;

/** A name of hyphens, underscores or capitals within as a phrase: `petId` is `Pet id`, `api-key-issued` is `API key issued`. */
export function phrase(name: string): string;

/** A value of an event as one line, a time as it is where the browser is. */
export function valueText(value: unknown, now?: number): string;

/** A figure of a module in the unit that its name ends in. */
export function figureText(name: string, value: number): string;
