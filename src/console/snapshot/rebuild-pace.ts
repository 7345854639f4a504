const STANDSTILL_MILLISECONDS = 5_000;

/** How far the build of a projection's tables is. */
export interface RebuildProgress {
  readonly percent: number;
  /** At the pace since it was first seen; null until that is known. */
  readonly remainingSeconds: number | null;
  /** It has not gone on for five seconds: it was broken off. */
  readonly standsStill: boolean;
}

interface Watched {
  readonly first: { readonly at: number; readonly position: number };
  readonly position: number;
  readonly movedAt: number;
}

/** Watches builds go on, and says when they will be done. */
export class RebuildPace {
  private builds = new Map<string, Watched>();

  /**
   * Notes how far all builds that are under way have come; others are forgotten.
   * @param now in milliseconds, on a time line that never goes back
   * @param total the position up to which they have to go
   */
  observe(builds: ReadonlyMap<string, bigint>, total: bigint, now: number): ReadonlyMap<string, RebuildProgress> {
    this.builds = new Map([...builds].map(([id, position]) => [id, seen(this.builds.get(id), Number(position), now)]));
    return new Map([...this.builds].map(([id, build]) => [id, progressOf(build, Number(total), now)]));
  }
}

function seen(before: Watched | undefined, position: number, now: number): Watched {
  if (!before) return { first: { at: now, position }, position, movedAt: now };
  return position === before.position ? before : { first: before.first, position, movedAt: now };
}

function progressOf({ first, position, movedAt }: Watched, total: number, now: number): RebuildProgress {
  const percent = total === 0 ? 0 : Math.min(100, Math.round((position / total) * 1_000) / 10);
  const standsStill = now - movedAt > STANDSTILL_MILLISECONDS;
  const pace = (position - first.position) / (now - first.at);
  const isKnown = pace > 0 && !standsStill;
  return { percent, remainingSeconds: isKnown ? Math.ceil(Math.max(0, total - position) / pace / 1_000) : null, standsStill };
}
