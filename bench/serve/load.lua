-- For wrk: asks for one of many wallets after the other, with the token, and prints one line of JSON at the end.
-- Arguments: TOKEN PATH COUNT DELAY. "%d" in the path becomes a number below COUNT; DELAY (in milliseconds) is between
-- two requests of a connection.
local token, path, count, pause

function init(args)
  token, path, count, pause = args[1], args[2], tonumber(args[3]), tonumber(args[4])
  wrk.headers["Authorization"] = "Bearer " .. token
  wrk.headers["Host"] = "localhost"
  math.randomseed(1)
  if pause > 0 then
    -- Around the mean, so that the connections do not ask in step.
    delay = function() return math.random(0, 2 * pause) end
  end
end

function request()
  return wrk.format("GET", (string.gsub(path, "%%d", tostring(math.random(0, count - 1)))))
end

function done(summary, latency)
  io.write(string.format('{"requests":%d,"microseconds":%d,"p50":%d,"p99":%d,"failed":%d,"errors":%d}\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99), summary.errors.status,
    summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout))
end
