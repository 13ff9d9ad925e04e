import { redisScript } from '@cairn/redis';

/** Current time of the server in milliseconds, or the given time, which only tests give. */
const readTime = `
local now = tonumber(ARGV[1])
local time = redis.call('TIME')
if now == nil then now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000) end`;

/**
 * Takes tokens from one counter, by the rules of `limits/counter.ts`. The hash has the fields v (tokens of a bucket, used tokens of
 * a window), a (time of v, start of the window) and e (time at which the counter was created).
 *
 * KEYS: the counter. ARGV: time, kind, rate or limit, capacity or seconds, give, min, want, and the last answer that the process
 * has: e, v, a. A counter that is newer than this answer was lost by the server, or evicted. The answer then restores it: the tokens
 * of a bucket can only have grown by its rate, and the used tokens of a window can only have grown.
 *
 * A counter is removed when its absence means the same: a full bucket, or a window that has ended. Numbers are returned as text,
 * since Redis truncates numbers of scripts.
 */
export const takeScript = redisScript(
  'take',
  `${readTime}
local size, other = tonumber(ARGV[3]), tonumber(ARGV[4])
local give, min, want = tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7])
local lastEpoch, lastValue, lastAt = ARGV[8], tonumber(ARGV[9]), tonumber(ARGV[10])
local stored = redis.call('HMGET', KEYS[1], 'v', 'a', 'e')
local value, at, epoch = tonumber(stored[1]), tonumber(stored[2]), stored[3]
if not epoch then epoch = time[1] .. '.' .. time[2] end
local isLost = lastEpoch ~= '' and lastEpoch ~= epoch
local available, start, ends
if ARGV[2] == 'bucket' then
  local function grown(tokens, since)
    return tokens + math.max(0, now - math.min(since, now)) * size / 1000
  end
  local tokens = value and grown(value, at) or other
  if isLost then tokens = math.min(tokens, grown(lastValue, lastAt)) end
  available = math.min(other, math.min(other, tokens) + give)
else
  local length = other * 1000
  start = now - now % length
  local used = 0
  if value and at >= start then
    used = value
    if at - start <= length then start = at end
  end
  if isLost and lastAt == start then used = math.max(used, lastValue) end
  available = math.min(size, size - used + give)
  ends = start + length
end
local granted = 0
if min > 0 and available >= min then granted = math.max(min, math.min(want, math.floor(available / 4))) end
local left = available - granted
local wait, ttl
if start then
  value, at, wait, ttl = size - left, start, ends - now, ends - now
else
  value, at, wait, ttl = left, now, (min - available) / size * 1000, (other - left) / size * 1000
end
if granted > 0 or min == 0 then wait = 0 end
local function text(number) return string.format('%.17g', number) end
redis.call('HSET', KEYS[1], 'v', text(value), 'a', text(at), 'e', epoch)
redis.call('PEXPIRE', KEYS[1], string.format('%.0f', math.min(2678400000, math.max(0, math.ceil(ttl)) + 1000)))
return { text(granted), text(left), text(math.ceil(wait)), text(ends or -1), text(now), epoch, text(value), text(at) }`,
);

/**
 * Sets the permits of one holder. The hash has a field for each holder: the permits and the end of their lifetime.
 * KEYS: the permits. ARGV: time, holder, min, want, limit, lifetime.
 */
export const holdScript = redisScript(
  'hold',
  `${readTime}
local holder, min, want = ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local limit, ttl = tonumber(ARGV[5]), tonumber(ARGV[6])
local others, before = 0, 0
local stored = redis.call('HGETALL', KEYS[1])
for place = 1, #stored, 2 do
  local held, ends = string.match(stored[place + 1], '^(%d+) ([%d.]+)$')
  ends = tonumber(ends)
  if ends == nil or ends <= now or ends > now + 2 * ttl then redis.call('HDEL', KEYS[1], stored[place])
  elseif stored[place] == holder then before = tonumber(held)
  else others = others + tonumber(held) end
end
local room = math.max(0, limit - others)
local share = math.max(min, math.min(want, before + math.ceil((room - before) / 4)))
local held = math.min(before, room)
if room >= min then held = math.min(share, room) end
if held == 0 then redis.call('HDEL', KEYS[1], holder)
else redis.call('HSET', KEYS[1], holder, string.format('%.0f %.0f', held, now + ttl)) end
redis.call('PEXPIRE', KEYS[1], string.format('%.0f', 2 * ttl))
return { held, others }`,
);

/**
 * Registers a process and counts those whose registration has not expired. KEYS: the registry. ARGV: time, process, lifetime.
 * A lifetime of 0 removes the process.
 */
export const registerScript = redisScript(
  'register',
  `${readTime}
local ttl = tonumber(ARGV[3])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now))
if ttl == 0 then redis.call('ZREM', KEYS[1], ARGV[2])
else
  redis.call('ZADD', KEYS[1], string.format('%.0f', now + ttl), ARGV[2])
  redis.call('PEXPIRE', KEYS[1], string.format('%.0f', 2 * ttl))
end
return redis.call('ZCARD', KEYS[1])`,
);
