"""What somebody would do with the generated client: all of it typed, nothing of it written by hand."""

import datetime
import sys

from realmgate_client import Client
from realmgate_client.api.airport import create_airports, delete_airport, get_airport, list_airports
from realmgate_client.api.everything import get_everything, put_everything
from realmgate_client.api.flight import create_flights, delete_flight, get_flight, list_flights, patch_flight
from realmgate_client.models import (
    Airport, AirportInput, EverythingProperties, Flight, FlightBatch, FlightInput, FlightProperties, Problem,
)

client = Client(base_url=sys.argv[1], raise_on_unexpected_status=True)

# Create one, and several that link to it.
made = create_airports.sync(client=client, body=AirportInput(iata="XYZ", name="Nowhere", latitude=1.5, longitude=-2))
assert isinstance(made, Airport) and made.iata == "XYZ" and made.longitude == -2, made
at = datetime.datetime(2026, 1, 31, 12, 0, tzinfo=datetime.timezone.utc)
flights = create_flights.sync(
    client=client,
    body=[
        FlightInput(id=900001, date=at, carrier="RG", number=1, delay=None, distance=10, origin="XYZ"),
        FlightInput(id=900002, date=at, carrier="RG", number=2**62, delay=40, distance=20, origin="XYZ"),
        FlightInput(id=900003, carrier="RG", destination=AirportInput(iata="XYZ2", name="Made on the way")),
    ],
)
assert isinstance(flights, FlightBatch) and len(flights.items) == 3, flights

# Read, with the link as a key and as the object.
read = get_flight.sync(900002, client=client)
assert isinstance(read, Flight) and read.number == 2**62 and read.date == at and read.origin == "XYZ", read
whole = get_flight.sync(900001, client=client, expand="origin")
assert isinstance(whole.origin, Airport) and whole.origin.name == "Nowhere" and whole.delay is None, whole

# Filter.
page = list_flights.sync(client=client, filter_="carrier == $0 AND delay > 10", args='["RG"]', count=True)
assert page.count == 1 and [one.id for one in page.items] == [900002], page

# Refusals are typed, too.
again = create_flights.sync(client=client, body=FlightInput(id=900001))
assert isinstance(again, Problem) and again.status == 409 and again.code == "object.duplicate_key", again
fault = list_flights.sync(client=client, filter_="carier == 'RG'")
assert isinstance(fault, Problem) and fault.hint == "carrier", fault

# Change, under a precondition.
answer = get_flight.sync_detailed(900001, client=client)
changed = patch_flight.sync(
    900001, client=client, body=FlightProperties(delay=5), if_match=answer.headers["ETag"])
assert isinstance(changed, Flight) and changed.delay == 5, changed
late = patch_flight.sync(900001, client=client, body=FlightProperties(delay=6), if_match=answer.headers["ETag"])
assert isinstance(late, Problem) and late.status == 412, late

# Every type there and back.
everything = get_everything.sync(1, client=client)
copy = EverythingProperties.from_dict({**everything.to_dict(), "id": 1})
copy.next_ = None
written = put_everything.sync(1, client=client, body=copy)
assert {**written.to_dict(), "next": None} == {**everything.to_dict(), "next": None}, (written, everything)

# Delete.
for key in (900001, 900002, 900003):
    assert delete_flight.sync_detailed(key, client=client).status_code == 204
for key in ("XYZ", "XYZ2"):
    delete_airport.sync_detailed(key, client=client)
gone = get_airport.sync("XYZ", client=client)
assert isinstance(gone, Problem) and gone.status == 404, gone
assert list_airports.sync(client=client, filter_="iata BEGINSWITH 'XYZ'").items == []
print("The generated client works.")
