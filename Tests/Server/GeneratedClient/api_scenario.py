"""What somebody would do with the client that openapi-generator makes: all of it typed, nothing of it written by hand."""

import datetime
import sys

from realmgate_api import ApiClient, ApiException, Configuration
from realmgate_api.api.airport_api import AirportApi
from realmgate_api.api.flight_api import FlightApi
from realmgate_api.models.airport_input import AirportInput
from realmgate_api.models.airport_properties import AirportProperties
from realmgate_api.models.create_airports_request import CreateAirportsRequest
from realmgate_api.models.create_flights_request import CreateFlightsRequest
from realmgate_api.models.flight_input import FlightInput
from realmgate_api.models.flight_input_date import FlightInputDate
from realmgate_api.models.flight_input_origin import FlightInputOrigin
from realmgate_api.models.flight_properties import FlightProperties

client = ApiClient(Configuration(host=sys.argv[1]))
airports, flights = AirportApi(client), FlightApi(client)

# Create, with numbers that are numbers.
made = airports.create_airports(
    CreateAirportsRequest(AirportInput(iata="XYZ", name="Nowhere", latitude=1.5, longitude=-2)))
assert made.actual_instance.latitude == 1.5 and made.actual_instance.longitude == -2, made
at = datetime.datetime(2026, 1, 31, 12, 0, tzinfo=datetime.timezone.utc)
flights.create_flights(
    CreateFlightsRequest(
        [
            FlightInput(id=900001, date=FlightInputDate(at), carrier="RG", distance=10, origin=FlightInputOrigin("XYZ")),
            FlightInput(id=900002, carrier="RG", number=2**62, delay=40, origin=FlightInputOrigin("XYZ")),
        ]))

# Read.
airport = airports.get_airport("XYZ")
assert airport.name == "Nowhere" and airport.latitude == 1.5 and airport.city is None, airport
flight = flights.get_flight(900001)
assert flight.var_date == at and flight.origin.actual_instance == "XYZ" and flight.delay is None, flight

# Filter.
page = flights.list_flights(filter="carrier == $0 AND delay > 10", args='["RG"]', count=True)
assert page.count == 1 and [one.id for one in page.items] == [900002] and page.items[0].number == 2**62, page

# Change.
assert airports.patch_airport("XYZ", AirportProperties(city="Somewhere", latitude=2.25)).latitude == 2.25
assert flights.patch_flight(900001, FlightProperties(delay=5)).delay == 5
assert flights.get_flight(900001).delay == 5

# Refusals carry what the gateway says.
try:
    flights.list_flights(filter="carier == 'RG'")
    raise AssertionError("a predicate without a meaning was taken")
except ApiException as refusal:
    assert refusal.status == 400 and '"hint":"carrier"' in refusal.body, refusal

# Delete.
for key in (900001, 900002):
    assert flights.delete_flight_with_http_info(key).status_code == 204
assert airports.delete_airport_with_http_info("XYZ").status_code == 204
try:
    airports.get_airport("XYZ")
    raise AssertionError("what was deleted is there")
except ApiException as refusal:
    assert refusal.status == 404, refusal
print("The generated client works.")
