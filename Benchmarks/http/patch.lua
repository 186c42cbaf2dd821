-- Durable updates: a PATCH of one property of a random flight of the demo.
request = function()
  local body = string.format('{"delay": %d}', math.random(0, 500))
  return wrk.format("PATCH", "/v1/objects/Flight/" .. math.random(1, 6000), {["Content-Type"] = "application/json"}, body)
end
