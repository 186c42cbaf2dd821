-- The requests of HttpArena's CRUD profile, for arena.py, and their outcome in one line as in requests.lua: of 20
-- requests 15 read an item, 3 update one, 1 reads a page of a category, and 1 creates an item. A connection ends after
-- 200 requests.
--
--   wrk … -s arena.lua URL -- realmgate|pocketbase OBJECTS SEED
dofile(os.getenv("REQUESTS"))

local start = init
local ours, objects, seed
local sent, created = 0, 0

function init(arguments)
  start(arguments)
  ours, objects, seed = arguments[1] == "realmgate", tonumber(arguments[2]), tonumber(arguments[3])
end

local path = "/api/collections/items/records"

local function headers()
  return {["Content-Type"] = "application/json", ["Connection"] = sent % 200 == 0 and "close" or nil}
end

local function key(id) return ours and tostring(id) or string.format("%015d", id) end

local function read(id) return wrk.format("GET", path .. "/" .. key(id), headers()) end

function request()
  if ours then path = "/v1/objects/Item" end
  sent = sent + 1
  local kind = math.random(1, 20)
  if kind <= 15 then return read(math.random(0, objects / 2 - 1)) end
  if kind <= 18 then
    local text = string.format(
      '{"name":"Updated %d","price":%d,"quantity":%d}', sent, math.random(1, 500), math.random(0, 50))
    return wrk.format("PATCH", path .. "/" .. key(math.random(0, objects / 2 - 1)), headers(), text)
  end
  if kind == 19 then
    local page = math.random(1, 10)
    local query = ours and string.format("?filter=category+%%3D+%%27office%%27&limit=10&offset=%d", (page - 1) * 10)
      or string.format("?skipTotal=1&filter=category%%3D%%27office%%27&sort=id&perPage=10&page=%d", page)
    return wrk.format("GET", path .. query, headers())
  end
  created = created + 1
  local id = (seed + 1) * 10000000 + created
  local text = string.format(
    '{"%s":%s,"name":"New Product","category":"test","price":25,"quantity":10}', ours and "_id" or "id",
    ours and id or '"' .. key(id) .. '"')
  return wrk.format("POST", path, headers(), text)
end
