export interface Connection {
  readonly answeredAt: number | null;
  readonly failure: { readonly reason: string; readonly isFinal: boolean } | null;
}

/** Nothing was asked yet. */
export const unconnected: Connection;

/** The connection after an answer. */
export function answered(at: number): Connection;

/** The connection after a failure; `isFinal` where asking again is of no use. */
export function failed(connection: Connection, reason: string, isFinal: boolean): Connection;

/** Whether to say that the connection is lost: a single failure is none as long as an answer is younger than two and a half seconds. */
export function isLost(connection: Connection, now: number): boolean;
