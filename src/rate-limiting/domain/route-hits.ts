/** Hits of one caller on one route. */
export interface RouteHits {
  windowEndsAt: number;
  hits: number;
  blockedUntil: number;
}

/** An extra limit of a single route. Times are in milliseconds. */
export interface RouteLimit {
  readonly limit: number;
  /** Windows of this length are aligned to 1970. */
  readonly length: number;
  /** How long a caller that went over is refused; undefined: to the end of the window. */
  readonly blockedFor?: number;
}

export interface RouteDecision {
  /** The instant of the decision, by the clock of whoever counts. */
  readonly at: number;
  readonly admitted: boolean;
  readonly hits: number;
  /** The end of the window, or of the block when the hit was refused. */
  readonly endsAt: number;
}

export function newRouteHits(): RouteHits {
  return { windowEndsAt: 0, hits: 0, blockedUntil: 0 };
}

/** Decides on a hit and counts it when it is let through. */
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

/** Whether the next hit would be decided as if there had been none. */
export function areHitsOver({ windowEndsAt, blockedUntil }: RouteHits, now: number): boolean {
  return now >= windowEndsAt && now >= blockedUntil;
}
