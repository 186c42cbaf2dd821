// What somebody would write against the TypeScript client that openapi-generator makes. It is checked, not run.

import { AirportApi, Configuration, FlightApi, ResponseError } from "./index";
import type { Airport, FlightPage } from "./index";

export async function scenario(basePath: string): Promise<number> {
  const configuration = new Configuration({ basePath });
  const airports = new AirportApi(configuration);
  const flights = new FlightApi(configuration);
  await airports.createAirports({ createAirportsRequest: { iata: "XYZ", name: "Nowhere", latitude: 1.5, longitude: -2 } });
  const airport: Airport = await airports.getAirport({ key: "XYZ" });
  const latitude: number | undefined = airport.latitude;
  const page: FlightPage = await flights.listFlights({ filter: "carrier == $0", args: '["RG"]', count: true });
  const delays: number[] = page.items.map((one) => one.delay ?? 0);
  await airports.patchAirport({ key: "XYZ", airportProperties: { city: "Somewhere", latitude: 2.25 } });
  try {
    await airports.deleteAirport({ key: "XYZ" });
  } catch (error) {
    if (error instanceof ResponseError) return error.response.status;
    throw error;
  }
  return delays.reduce((sum, one) => sum + one, latitude ?? 0);
}
