/** Outcomes by the first number of the script's reply. */
export const OUTCOMES = ['admitted', 'refused', 'banned', 'newly banned'] as const;

/** The script's reply: the outcome, its time, and the counts of the caller after it. */
export type DecisionReply = readonly [
  outcome: 0 | 1 | 2 | 3,
  at: number,
  minute: number,
  minuteUsed: number,
  day: number,
  dayUsed: number,
  refusalMinute: number,
  firstRefusalAt: number,
  refusals: number,
  bannedUntil: number,
  banStep: number,
  unbans: number,
];

/** What the script does: return the counts, count a request of a caller with counts, or count it and begin counts if there are none. */
export const ACTIONS = { tell: 0, count: 1, countAndBegin: 2 } as const;

/**
 * `decide` of `domain/decision.ts` as one atomic step; a property test holds them equal. Known counts of the same windows are taken over if
 * they are higher. `action` is one of `ACTIONS`; the reply is empty if counts may not begin. An address comes with 0 as `banAfter`. The
 * counts of a caller expire a minute after their day or a later ban.
 */
export const DECISION_SCRIPT = `
local MINUTE, DAY, LADDER_MEMORY = 60000, 86400000, 86400000
local FIELDS = { 'minute', 'minuteUsed', 'day', 'dayUsed', 'refusalMinute', 'firstRefusalAt', 'refusals', 'bannedUntil', 'banStep',
  'unbans' }

local arguments = {}
for index, text in ipairs(ARGV) do arguments[index] = tonumber(text) end
local now, action, perMinute, perDay, banUntil, banStep, unbans, knownMinute, knownMinuteUsed, knownDay, knownDayUsed,
  banAfter, grace = unpack(arguments, 1, 13)
local FIRST_RUNG = 14
local rungs = #arguments - FIRST_RUNG + 1
local counts, stored = {}, redis.call('HMGET', KEYS[1], unpack(FIELDS))
if action == ${ACTIONS.count} and not stored[1] then return {} end
for index, value in ipairs(stored) do counts[FIELDS[index]] = tonumber(value or 0) end
local isChanged = false

if unbans > counts.unbans or (unbans == counts.unbans and banUntil > counts.bannedUntil) then
  counts.bannedUntil, counts.banStep, counts.unbans = banUntil, banStep, unbans
  isChanged = true
end

local minute = math.floor(now / MINUTE)
if minute ~= counts.minute and minute ~= counts.minute - 1 then
  local day = math.floor(now / DAY)
  if minute > counts.minute then counts.minuteUsed = 0 end
  if day > counts.day then counts.dayUsed = 0 end
  counts.minute, counts.day = minute, day
  isChanged = true
end
if knownMinute == counts.minute then counts.minuteUsed = math.max(counts.minuteUsed, knownMinuteUsed) end
if knownDay == counts.day then counts.dayUsed = math.max(counts.dayUsed, knownDayUsed) end

local function ban()
  local step = now - counts.bannedUntil >= LADDER_MEMORY and 1 or math.min(counts.banStep + 1, rungs)
  counts.bannedUntil, counts.banStep = now + arguments[FIRST_RUNG + step - 1], step
  counts.refusalMinute, counts.refusals = 0, 0
end

local function recordRejection()
  if banAfter == 0 then return 1 end
  if counts.refusalMinute ~= counts.minute then
    counts.refusalMinute, counts.firstRefusalAt, counts.refusals = counts.minute, now, 0
  end
  if now - counts.firstRefusalAt < grace then return 1 end
  counts.refusals = counts.refusals + 1
  if counts.refusals <= banAfter then return 1 end
  ban()
  return 3
end

local function store(fields)
  local values = {}
  for index, field in ipairs(fields) do
    values[2 * index - 1] = field
    values[2 * index] = string.format('%.0f', counts[field])
  end
  redis.call('HSET', KEYS[1], unpack(values))
end

local function storeAll()
  store(FIELDS)
  local isOverAt = math.max((counts.day + 1) * DAY, counts.bannedUntil) + MINUTE
  redis.call('PEXPIRE', KEYS[1], string.format('%.0f', isOverAt - now))
end

local function decide()
  if now < counts.bannedUntil then return 2 end
  if counts.minuteUsed >= perMinute or counts.dayUsed >= perDay then
    isChanged = true
    return recordRejection()
  end
  counts.minuteUsed, counts.dayUsed = counts.minuteUsed + 1, counts.dayUsed + 1
  if not isChanged then store({ 'minuteUsed', 'dayUsed' }) end
  return 0
end

local answer = { 0, now }
if action ~= ${ACTIONS.tell} then
  answer[1] = decide()
  if isChanged then storeAll() end
end
for _, field in ipairs(FIELDS) do answer[#answer + 1] = counts[field] end
return answer
`;

/** The time of the decision, whether the request is admitted, and the hits of the caller after it. */
export type RouteHitsReply = readonly [at: number, isAdmitted: 0 | 1, windowEndsAt: number, hits: number, blockedUntil: number];

/** `decideForRoute` of `domain/route-hits.ts` as one atomic step. `blockedFor` is -1 for a block to the end of the window. */
export const ROUTE_HITS_SCRIPT = `
local now, limit, length, blockedFor = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
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
