// Scripts of Redis 7. Each runs as one step on the server, and all nodes use the server's clock alone. A log is a sorted set of
// unique ids by time in milliseconds. It keeps the newest `limit` entries, as older ones decide nothing, and expires with its last one.

/** Seconds and microseconds become milliseconds. Calls from the future, after the server's clock was set back, are dropped. */
const PRUNE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local limit, window, id = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3]
for _, key in ipairs(KEYS) do
  redis.call('ZREMRANGEBYSCORE', key, '-inf', now - window)
  redis.call('ZREMRANGEBYSCORE', key, now + window, '+inf')
end
local function msUntilFree(key)
  local oldest = redis.call('ZRANGE', key, 0, 0, 'WITHSCORES')[2]
  return oldest and oldest + window - now or window
end
local function trim(key)
  redis.call('ZREMRANGEBYRANK', key, 0, -limit - 1)
  redis.call('PEXPIRE', key, window)
end
`;

/**
 * For each key, adds calls that a node has admitted by itself, and then one more if there is room and it is wanted.
 *
 * Keys: the logs. Arguments: limit, window in ms, then for each key a unique id, whether a call is wanted (1 or 0), the number of admitted
 * calls, and for each of these how many ms ago it was. Returns for each key: whether the call was admitted (1 or 0), how many more
 * would be, ms until that number grows.
 */
export const SHARE_CALLS = `${PRUNE}
local at, answers = 3, {}
for _, key in ipairs(KEYS) do
  local call, isWanted, last = ARGV[at], ARGV[at + 1] == '1', at + 2 + ARGV[at + 2]
  for i = at + 3, last do redis.call('ZADD', key, now - ARGV[i], call .. ':' .. i) end
  at = last + 1
  local count, isAdmitted = redis.call('ZCARD', key), 0
  if isWanted and count < limit then
    redis.call('ZADD', key, now, call)
    count, isAdmitted = count + 1, 1
  end
  trim(key)
  for _, answer in ipairs({ isAdmitted, math.max(0, limit - count), msUntilFree(key) }) do
    answers[#answers + 1] = answer
  end
end
return answers
`;

/**
 * Begins an attempt if failed and running ones leave room.
 *
 * Keys: the log of failures, that of running attempts. Arguments: limit, window in ms, a unique id. Returns: whether the attempt may
 * run (1 or 0), if not the ms until a failure leaves the window, or 0 while only running attempts fill the key.
 */
export const BEGIN_ATTEMPT = `${PRUNE}
local failures = redis.call('ZCARD', KEYS[1])
if failures + redis.call('ZCARD', KEYS[2]) >= limit then
  return { 0, failures < limit and 0 or msUntilFree(KEYS[1]) }
end
redis.call('ZADD', KEYS[2], now, id)
trim(KEYS[2])
return { 1, 0 }
`;

/** Ends the attempt with this id. Keys and arguments as before, then whether it failed (1 or 0). */
export const END_ATTEMPT = `${PRUNE}
redis.call('ZREM', KEYS[2], id)
if ARGV[4] == '1' then
  redis.call('ZADD', KEYS[1], now, id)
  trim(KEYS[1])
end
return {}
`;
