import { RESOLVE_NOW } from './clock.script.js';

/** The time of the decision, whether the hit is let through, and what is kept of the caller's hits. */
export type RouteHitsAnswer = readonly [at: number, isAdmitted: 0 | 1, windowEndsAt: number, hits: number, blockedUntil: number];

/**
 * `decideForRoute` of `domain/route-hits.ts` as one atomic step. `blockedFor` is -1 where a caller that went over is refused
 * to the end of the window.
 */
export const ROUTE_HITS_SCRIPT = `
local now, limit, length, blockedFor = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
${RESOLVE_NOW}
local stored = redis.call('HMGET', KEYS[1], 'windowEndsAt', 'hits', 'blockedUntil')
local windowEndsAt, hits, blockedUntil = tonumber(stored[1] or 0), tonumber(stored[2] or 0), tonumber(stored[3] or 0)
if now < blockedUntil then return { now, 0, windowEndsAt, hits, blockedUntil } end
if now >= windowEndsAt then windowEndsAt, hits = (math.floor(now / length) + 1) * length, 0 end
local isAdmitted = hits < limit
if isAdmitted then
  hits = hits + 1
else
  blockedUntil = blockedFor == -1 and windowEndsAt or now + blockedFor
end
local function plain(number) return string.format('%.0f', number) end
redis.call('HSET', KEYS[1], 'windowEndsAt', plain(windowEndsAt), 'hits', plain(hits), 'blockedUntil', plain(blockedUntil))
redis.call('PEXPIRE', KEYS[1], plain(math.max(windowEndsAt, blockedUntil) - now))
return { now, isAdmitted and 1 or 0, windowEndsAt, hits, blockedUntil }
`;
