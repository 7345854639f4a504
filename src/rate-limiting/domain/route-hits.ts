/** What is kept of one caller's requests to one handler. Times are in milliseconds since 1970. */
export interface RouteHits {
  windowEndsAt: number;
  hits: number;
  blockedUntil: number;
}

/** A limit of a single handler. Times are in milliseconds. */
export interface RouteLimit {
  readonly limit: number;
  /** Windows of this length are aligned to 1970. */
  readonly length: number;
  /** How long a caller over the limit is refused. Default: to the end of the window. */
  readonly blockedFor?: number;
}

export interface RouteDecision {
  /** The instant of the decision, by the clock that counts. */
  readonly at: number;
  readonly admitted: boolean;
  readonly hits: number;
  /** The end of the window, or of the block if the request was refused. */
  readonly endsAt: number;
}

export function newRouteHits(): RouteHits {
  return { windowEndsAt: 0, hits: 0, blockedUntil: 0 };
}

/** Decides on a request and counts it if it is admitted. */
export function decideForRoute(state: RouteHits, { limit, length, blockedFor }: RouteLimit, now: number): RouteDecision {
  if (now < state.blockedUntil) return { at: now, admitted: false, hits: state.hits, endsAt: state.blockedUntil };
  if (now >= state.windowEndsAt) {
    state.windowEndsAt = (Math.floor(now / length) + 1) * length;
    state.hits = 0;
  }
  if (state.hits < limit) {
    state.hits += 1;
    return { at: now, admitted: true, hits: state.hits, endsAt: state.windowEndsAt };
  }
  state.blockedUntil = blockedFor === undefined ? state.windowEndsAt : now + blockedFor;
  return { at: now, admitted: false, hits: state.hits, endsAt: state.blockedUntil };
}

/** Whether the next request would be decided as if it were the first. */
export function areHitsOver({ windowEndsAt, blockedUntil }: RouteHits, now: number): boolean {
  return now >= windowEndsAt && now >= blockedUntil;
}
