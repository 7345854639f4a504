/**
 * Lua that turns the argument `now` into the time to decide by, in milliseconds since 1970: `0` is Redis' own clock, which
 * all instances have in common.
 */
export const RESOLVE_NOW = `
if now == 0 then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
`;
