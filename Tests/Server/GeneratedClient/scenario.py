"""What somebody would do with the generated client: all of it typed, nothing of it written by hand."""

import datetime
import sys

from realmgate_client import Client
from realmgate_client.api.airport import create_airports, delete_airport, get_airport, list_airports
from realmgate_client.api.everything import get_everything, put_everything
from realmgate_client.api.flight import (
    create_flights, delete_flight, get_flight, index_in_flights, list_flights, patch_flight,
    read_values_of_flights,
)
from realmgate_client.api.objects import add_elements, put_place_deeper, read_deeper, transact
from realmgate_client.api.snapshots import compare_snapshots, delete_snapshot, make_snapshot
from realmgate_client.models import (
    Airport, AirportInput, ClassName, Edited, EverythingProperties, Flight, FlightBatch, FlightInput, FlightProperties,
    Problem, Single, Transaction, TransactionObjectType0, TransactionObjectType1, TransactionOperation,
    TransactionOperationOp, TransactionResults,
)
from realmgate_client.types import UNSET

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

# Freeze what there is now, then many writes at once, sent twice under one name and done once.
snapshot = make_snapshot.sync(client=client, ttl=60)
operation = TransactionOperationOp
transaction = Transaction(
    operations=[
        TransactionOperation(
            op=operation.REQUIRE, class_=ClassName.AIRPORT, filter_="iata == $0", args=["XYZ3"], exists=False),
        TransactionOperation(
            op=operation.CREATE, class_=ClassName.AIRPORT, value={"iata": "XYZ3", "name": "Somewhere"}, as_="place"),
        TransactionOperation(
            op=operation.SET, object_=TransactionObjectType0(class_=ClassName.FLIGHT, key=900003),
            value={"origin": {"$ref": "place"}}),
        TransactionOperation(op=operation.SET, object_=TransactionObjectType1(ref="place"), value={"latitude": 7.5}),
    ])
done = transact.sync(client=client, body=transaction, idempotency_key="once")
assert isinstance(done, TransactionResults) and len(done.results) == 4 and done.results[1].created, done
again = transact.sync_detailed(client=client, body=transaction, idempotency_key="once")
assert again.headers["Idempotency-Replayed"] == "true" and again.parsed == done, again
refused = transact.sync(client=client, body=transaction)
assert isinstance(refused, Problem) and refused.status == 412, refused
assert get_flight.sync(900003, client=client).origin == "XYZ3"

# The snapshot is as it was, and knows what is different.
assert get_flight.sync(900003, client=client, snapshot=snapshot.snapshot).origin is None
changes = compare_snapshots.sync(snapshot.snapshot, client=client)
assert {one.class_: one.inserted for one in changes.classes}["Airport"] == ["XYZ3"], changes
assert delete_snapshot.sync_detailed(snapshot.snapshot, client=client).status_code == 204
late = get_flight.sync(900003, client=client, snapshot=snapshot.snapshot)
assert isinstance(late, Problem) and late.status == 410, late

# Positions and values of a query.
ours = {"filter_": "id >= 900001", "sort": "-id"}
assert index_in_flights.sync(client=client, of="900001", **ours).index == 2
assert read_values_of_flights.sync(client=client, key="id", **ours).values == [900003, 900002, 900001]
assert read_values_of_flights.sync(client=client, key_path="@sum.distance", **ours).value == 30

# Edits below a property.
edited = add_elements.sync(ClassName.EVERYTHING, "1", "numbers", client=client, body=[8, 9])
assert isinstance(edited, Edited) and edited.count == 5, edited
put = put_place_deeper.sync(ClassName.EVERYTHING, "1", "numbers", "0", client=client, body=7)
assert isinstance(put, Edited) and put.modified == 1, put
# The client sends the defaults of parameters, which one value does not take.
unset = {"limit": UNSET, "offset": UNSET, "count": UNSET, "explain": UNSET}
first = read_deeper.sync(ClassName.EVERYTHING, "1", "numbers", "0", client=client, **unset)
assert isinstance(first, Single) and first.value == 7, first
assert get_everything.sync(1, client=client).numbers == [7, 1, 3, 8, 9]
put_everything.sync(1, client=client, body=copy)

# Delete.
for key in (900001, 900002, 900003):
    assert delete_flight.sync_detailed(key, client=client).status_code == 204
for key in ("XYZ", "XYZ2", "XYZ3"):
    delete_airport.sync_detailed(key, client=client)
gone = get_airport.sync("XYZ", client=client)
assert isinstance(gone, Problem) and gone.status == 404, gone
assert list_airports.sync(client=client, filter_="iata BEGINSWITH 'XYZ'").items == []
print("The generated client works.")
