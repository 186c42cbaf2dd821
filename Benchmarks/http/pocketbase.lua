-- The requests of requests.lua as PocketBase understands them. REQUESTS names that file, which writes the outcome.
dofile(os.getenv("REQUESTS"))

local start = init
local kind, objects, seed
local created = 0

function init(arguments)
  start(arguments)
  kind, objects, seed = arguments[1], tonumber(arguments[2]), tonumber(arguments[3])
end

local json = {["Content-Type"] = "application/json"}
local records = "/api/collections/items/records"

local function key() return string.format("%015d", math.random(0, objects - 1)) end

function request()
  if kind == "get" then
    return wrk.format("GET", records .. "/" .. key())
  elseif kind == "indexed" then
    return wrk.format(
      "GET", records .. "?skipTotal=1&filter=code%3D%27c" .. math.random(0, objects - 1) .. "%27")
  elseif kind == "page" then
    return wrk.format("GET", records .. "?skipTotal=1&perPage=30&page=" .. math.random(1, math.floor(objects / 30)))
  elseif kind == "query" then
    return wrk.format(
      "GET",
      records .. string.format(
        "?skipTotal=1&perPage=30&sort=-weight&filter=age%%3E10%%26%%26weight%%3C%d", math.random(5, 95)))
  elseif kind == "aggregate" then
    -- PocketBase has no sums: it only counts.
    return wrk.format("GET", records .. "?perPage=1&fields=id&filter=age%3E" .. math.random(0, 18))
  elseif kind == "create" then
    created = created + 1
    local id = (seed + 1) * 10000000 + created
    return wrk.format(
      "POST", records, json,
      string.format(
        '{"id":"%015d","name":"item %d","age":%d,"weight":%.3f,"breed":"breed%d","code":"c%d"}', id, id,
        math.random(0, 19), math.random() * 100, math.random(0, 49), id))
  elseif kind == "update" then
    return wrk.format("PATCH", records .. "/" .. key(), json, string.format('{"age":%d}', math.random(0, 19)))
  end
end
