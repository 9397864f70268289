// Scripts of Redis 7. Each runs as one step on the server, and all nodes use the server's clock alone. What they store is a sorted set
// by time in milliseconds, which expires with its last entry.

/** Seconds and microseconds become milliseconds. Entries from the future, after the server's clock was set back, are dropped. */
const PRUNE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local limit, window = tonumber(ARGV[1]), tonumber(ARGV[2])
for _, key in ipairs(KEYS) do
  redis.call('ZREMRANGEBYSCORE', key, '-inf', now - window)
  redis.call('ZREMRANGEBYSCORE', key, now + window, '+inf')
end
`;

/**
 * For each key, adds calls that a node has admitted by itself, and then one more if there is room and it is wanted. Calls are counted by
 * slices of time: an entry is the number of a slice and its count, at the time of the last call in it. So a call counts for a window,
 * and up to the width of a slice longer. Slices of 1 ms count exactly.
 *
 * Keys: the counts. Arguments: limit, window and width of a slice in ms, then for each key whether a call is wanted (1 or 0), the
 * number of admitted calls, and for each of these how many ms ago it was. Returns for each key: whether the call was admitted (1 or
 * 0), how many are counted, ms until a slice leaves the window and there is room.
 */
export const COUNT_CALLS = `${PRUNE}
local width, at, answers = tonumber(ARGV[3]), 4, {}
for _, key in ipairs(KEYS) do
  local slices, total = {}, 0
  local stored = redis.call('ZRANGE', key, 0, -1, 'WITHSCORES')
  for i = 1, #stored, 2 do
    local number, count = string.match(stored[i], '^(%d+):(%d+)$')
    slices[tonumber(number)] = { entry = stored[i], last = tonumber(stored[i + 1]), count = tonumber(count) }
    total = total + count
  end
  local function add(time)
    local number = math.floor(time / width)
    local slice = slices[number] or { last = time, count = 0 }
    slice.last, slice.count, slice.isNew = math.max(slice.last, time), slice.count + 1, true
    slices[number], total = slice, total + 1
  end

  local isWanted, last, isAdmitted = ARGV[at] == '1', at + 1 + ARGV[at + 1], 0
  for i = at + 2, last do add(now - ARGV[i]) end
  at = last + 1
  if isWanted and total < limit then
    add(now)
    isAdmitted = 1
  end

  local numbers, left, freeMs = {}, total, window
  for number, slice in pairs(slices) do
    numbers[#numbers + 1] = number
    if slice.isNew then
      if slice.entry then redis.call('ZREM', key, slice.entry) end
      redis.call('ZADD', key, slice.last, string.format('%d:%d', number, slice.count))
    end
  end
  table.sort(numbers)
  for _, number in ipairs(numbers) do
    left, freeMs = left - slices[number].count, slices[number].last + window - now
    if left < limit then break end
  end
  -- The newest entries have at least as many calls, so older ones decide nothing.
  if #numbers > limit then redis.call('ZREMRANGEBYRANK', key, 0, -limit - 1) end
  redis.call('PEXPIRE', key, window)
  for _, answer in ipairs({ isAdmitted, total, freeMs }) do answers[#answers + 1] = answer end
end
return answers
`;

/**
 * Begins an attempt if failed and running ones leave room. The name of an entry begins with \`f\` or \`r\`, by which of both it is.
 *
 * Key: the attempts. Arguments: limit, window in ms, a unique id. Returns: whether the attempt may run (1 or 0), if not the ms until a
 * failure leaves the window, or 0 if there are running ones.
 */
export const BEGIN_ATTEMPT = `${PRUNE}
local attempts = redis.call('ZRANGE', KEYS[1], 0, -1, 'WITHSCORES')
if #attempts < 2 * limit then
  redis.call('ZADD', KEYS[1], now, 'r' .. ARGV[3])
  redis.call('PEXPIRE', KEYS[1], window)
  return { 1, 0 }
end
for i = 1, #attempts, 2 do
  if string.sub(attempts[i], 1, 1) == 'r' then return { 0, 0 } end
end
return { 0, attempts[2] + window - now }
`;

/** Ends the attempt with this id. Key and arguments as before, then whether it failed (1 or 0). */
export const END_ATTEMPT = `${PRUNE}
redis.call('ZREM', KEYS[1], 'r' .. ARGV[3])
if ARGV[4] == '1' then redis.call('ZADD', KEYS[1], now, 'f' .. ARGV[3]) end
redis.call('ZREMRANGEBYRANK', KEYS[1], 0, -limit - 1)
redis.call('PEXPIRE', KEYS[1], window)
return {}
`;
