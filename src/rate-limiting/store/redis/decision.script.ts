/** Outcomes by the first number of the script's reply; `NEWLY_BANNED` is one more. */
export const OUTCOMES = ['admitted', 'refused', 'banned'] as const;
export const NEWLY_BANNED = 3;

/** The script's reply: the outcome, six numbers of refusals and the last ban, and two of each window. */
export type DecisionReply = readonly number[];

/** The values of a request of nobody, for a script that only shows that Redis can write. */
export const PROBE = [0, 1, 0, 0, 0, 0, 0, 1, 0, 'probe', 1_000, 1, 0, 0] as const;

/**
 * Takes a request from all windows of a caller or from none, counts the refusals, and bans once if they are too many, in one atomic step: what
 * `decide` of `domain/decision.ts` does for one process; a property test holds them equal. Known counts of the same windows are taken over if
 * they are higher, and a ban if it is newer. `nextUntil` and `nextStep` are the ban that this request causes if it is refused once too often.
 * Each window has its name, milliseconds, limit and known count. Without counts of the caller the reply is empty, and nothing is counted,
 * unless `mayBegin` is 1. Counts expire a minute after their longest window or a later ban.
 */
export const DECISION_SCRIPT = `
local values, windows, counts = {}, {}, setmetatable({}, { __index = function() return 0 end })
for index, text in ipairs(ARGV) do values[index] = tonumber(text) or text end
local now, mayBegin, banUntil, banStep, unbans, nextUntil, nextStep, after, grace = unpack(values, 1, 9)
local stored = redis.call('HGETALL', KEYS[1])
if #stored == 0 and mayBegin == 0 then return {} end
for index = 1, #stored, 2 do counts[stored[index]] = tonumber(stored[index + 1]) end
if unbans > counts.unbans or (unbans == counts.unbans and banUntil > counts.bannedUntil) then
  counts.bannedUntil, counts.banStep, counts.unbans = banUntil, banStep, unbans
end
local stays = math.floor(now / values[11]) == counts[values[10]] - 1
local isFull, isOverAt = false, counts.bannedUntil
for index = 10, #values, 5 do
  local name, length, limit, knownNumber, knownUsed = unpack(values, index, index + 4)
  local used, number = name .. 'Used', stays and counts[name] or math.floor(now / length)
  if number > counts[name] then counts[used] = 0 end
  if number == knownNumber then counts[used] = math.max(counts[used], knownUsed) end
  counts[name], windows[#windows + 1] = number, name
  isFull, isOverAt = isFull or counts[used] >= limit, math.max(isOverAt, (number + 1) * length)
end
local outcome = now < counts.bannedUntil and 2 or isFull and 1 or 0
if outcome == 1 then
  local number = counts[windows[1]]
  if counts.refusalWindow ~= number then counts.refusalWindow, counts.firstRefusalAt, counts.refusals = number, now, 0 end
  if now - counts.firstRefusalAt >= grace then counts.refusals = counts.refusals + 1 end
  if counts.refusals > after then
    outcome, counts.bannedUntil, counts.banStep, counts.refusalWindow, counts.refusals = ${NEWLY_BANNED}, nextUntil, nextStep, 0, 0
    isOverAt = math.max(isOverAt, nextUntil)
  end
end
local reply, fields = { outcome }, { 'refusalWindow', 'firstRefusalAt', 'refusals', 'bannedUntil', 'banStep', 'unbans' }
for _, name in ipairs(windows) do
  if outcome == 0 then counts[name .. 'Used'] = counts[name .. 'Used'] + 1 end
  fields[#fields + 1], fields[#fields + 2] = name, name .. 'Used'
end
local kept = {}
for index, field in ipairs(fields) do
  reply[index + 1], kept[2 * index - 1], kept[2 * index] = counts[field], field, string.format('%.0f', counts[field])
end
redis.call('HSET', KEYS[1], unpack(kept))
redis.call('PEXPIRE', KEYS[1], string.format('%.0f', isOverAt + 60000 - now))
return reply
`;
