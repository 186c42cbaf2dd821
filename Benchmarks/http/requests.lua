-- The requests of one row of workload.sh or compare.py, and their outcome in one line: requests, seconds, microseconds
-- of the median and of the 99th percentile, responses that were errors. `expand` and `indexed` need the class of
-- compare.py.
--
--   wrk … -s requests.lua URL -- KIND OBJECTS SEED
local kind, objects, seed

function init(arguments)
  kind, objects = arguments[1], tonumber(arguments[2])
  seed = tonumber(arguments[3])
  math.randomseed(seed)
end

local json = {["Content-Type"] = "application/json"}
local created = 0

local function item(id)
  return string.format(
    '{"_id":%d,"name":"item %d","age":%d,"weight":%.3f,"breed":"breed%d"}', id, id, math.random(0, 19),
    math.random() * 100, math.random(0, 49))
end

-- Ids that no other run takes: wrk starts one thread here, and every run has a seed of its own.
local function fresh()
  created = created + 1
  return (seed + 1) * 10000000 + created
end

function request()
  if kind == "get" then
    return wrk.format("GET", "/v1/objects/Item/" .. math.random(0, objects - 1))
  elseif kind == "healthz" then
    return wrk.format("GET", "/healthz")
  elseif kind == "expand" then
    return wrk.format("GET", "/v1/objects/Item/" .. math.random(0, objects - 1) .. "?expand=friend")
  elseif kind == "indexed" then
    return wrk.format("GET", "/v1/objects/Item?filter=code+%3D+%27c" .. math.random(0, objects - 1) .. "%27")
  elseif kind == "page" then
    return wrk.format("GET", "/v1/objects/Item?limit=30&offset=" .. math.random(0, objects - 31))
  elseif kind == "page100" then
    return wrk.format("GET", "/v1/objects/Item?limit=100&offset=" .. math.random(0, objects - 101))
  elseif kind == "query" then
    return wrk.format(
      "GET", string.format("/v1/objects/Item?filter=age+%%3E+10+AND+weight+%%3C+%d&sort=-weight&limit=30", math.random(5, 95)))
  elseif kind == "aggregate" then
    return wrk.format(
      "GET", string.format("/v1/aggregates/objects/Item?filter=age+%%3E+%d&sum=weight&average=age", math.random(0, 18)))
  elseif kind == "create" then
    return wrk.format("POST", "/v1/objects/Item", json, item(fresh()))
  elseif kind == "update" then
    return wrk.format(
      "PATCH", "/v1/objects/Item/" .. math.random(0, objects - 1), json, string.format('{"age":%d}', math.random(0, 19)))
  elseif kind == "batch" then
    local items = {}
    for index = 1, 100 do items[index] = item(fresh()) end
    return wrk.format("POST", "/v1/objects/Item", json, "[" .. table.concat(items, ",") .. "]")
  end
  -- The bare server answers anything.
  return wrk.format("GET", "/")
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    "%d %.3f %.0f %.0f %d\n", summary.requests, summary.duration / 1e6, latency:percentile(50), latency:percentile(99),
    errors.status + errors.connect + errors.read + errors.write + errors.timeout))
end
