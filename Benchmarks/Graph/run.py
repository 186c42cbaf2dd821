#!/usr/bin/env python3
"""The questions of the public graph-benchmark, asked of realmgate over HTTP and of Kùzu in this process.

  Benchmarks/Graph/run.py PROGRAM [PERSONS]

PROGRAM is a release build of realmgate. The data have the shape of github.com/prrao87/graph-benchmark: persons (100,000
unless PERSONS says otherwise) who follow each other, 24 on average and some very many, live in one of 7,117 cities of 273
states of 3 countries, and have some of 41 interests. They are made here, always the same ones. Its questions 1 to 7 are
asked; 8 and 9 count paths of two steps, which no request can express. Every answer is compared before it is timed.
Milliseconds are the median of ROUNDS (11), asked in turns, with their range. Kùzu is PyPI's package `kuzu`; without it
the script times Realmgate alone and compares nothing.
"""
import csv, itertools, json, os, random, signal, statistics, sys, tempfile, time, urllib.parse, urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "http"))
from compare import Server

try:
    import kuzu
except ImportError:
    kuzu = None

rounds = int(os.environ.get("ROUNDS", 11))
COUNTRIES = {"United States": 51, "Canada": 13, "United Kingdom": 209}
INTERESTS = ["Fine Dining", "Tennis", "Photography"] + [f"Interest {number}" for number in range(38)]

SCHEMA = {"schemaVersion": 1, "classes": [
    {"name": "Country", "primaryKey": "_id", "properties": [
        {"name": "_id", "type": "int"}, {"name": "name", "type": "string"}]},
    {"name": "State", "primaryKey": "_id", "properties": [
        {"name": "_id", "type": "int"}, {"name": "name", "type": "string"}, {"name": "country", "type": "Country?"}]},
    {"name": "City", "primaryKey": "_id", "properties": [
        {"name": "_id", "type": "int"}, {"name": "name", "type": "string"}, {"name": "state", "type": "State?"}]},
    {"name": "Interest", "primaryKey": "_id", "properties": [
        {"name": "_id", "type": "int"}, {"name": "name", "type": "string"}]},
    {"name": "Person", "primaryKey": "_id", "properties": [
        {"name": "_id", "type": "int"}, {"name": "name", "type": "string"}, {"name": "gender", "type": "string"},
        {"name": "age", "type": "int"}, {"name": "city", "type": "City?"}, {"name": "interests", "type": "Interest[]"}]},
    {"name": "Follow", "properties": [{"name": "follower", "type": "Person?"}, {"name": "person", "type": "Person?"}]}]}


class Data:
    """The rows of both databases. The choices are pseudo-random and the same in every run."""

    def __init__(self, persons):
        chance = random.Random(1)
        self.countries = list(COUNTRIES)
        self.states = [(f"State {place}", country) for place, country in enumerate(
            itertools.chain.from_iterable([country] * count for country, count in enumerate(COUNTRIES.values())))]
        # The first city of the first British state is London.
        british = next(place for place, (_, country) in enumerate(self.states) if country == 2)
        self.cities = [("London", british)] + [(f"City {place}", chance.randrange(len(self.states))) for place in range(1, 7117)]
        self.persons = []
        for place in range(persons):
            # Large cities have more persons.
            city = int(len(self.cities) * chance.random() ** 3)
            interests = chance.sample(range(len(INTERESTS)), chance.randint(1, 4))
            self.persons.append((f"Person {place}", "male" if place % 2 else "female", chance.randint(13, 60), city, interests))
        # A person with a low number is followed by more.
        edges = set()
        while len(edges) < 24 * persons:
            edges.add((chance.randrange(persons), int(persons * chance.random() ** 2)))
        self.follows = sorted(edge for edge in edges if edge[0] != edge[1])


class Realmgate:
    name = "Realmgate"

    def __init__(self, program, scratch):
        self.server = Server(program, scratch, "realmgate", objects=0, schema=SCHEMA)

    def load_all(self, data):
        self.load("Country", ({"_id": place, "name": name} for place, name in enumerate(data.countries)))
        self.load("State", ({"_id": place, "name": name, "country": country} for place, (name, country) in enumerate(data.states)))
        self.load("City", ({"_id": place, "name": name, "state": state} for place, (name, state) in enumerate(data.cities)))
        self.load("Interest", ({"_id": place, "name": name} for place, name in enumerate(INTERESTS)))
        self.load("Person", (
            {"_id": place, "name": name, "gender": gender, "age": age, "city": city, "interests": interests}
            for place, (name, gender, age, city, interests) in enumerate(data.persons)))
        self.load("Follow", ({"follower": follower, "person": person} for follower, person in data.follows))

    def load(self, name, rows):
        body = "\n".join(map(json.dumps, rows)).encode()
        request = urllib.request.Request(
            f"{self.server.url}/v1/import/{name}", body, {"Content-Type": "application/x-ndjson"})
        urllib.request.urlopen(request).read()

    def get(self, path, **parameters):
        query = urllib.parse.urlencode({name.rstrip("_"): value for name, value in parameters.items()})
        return json.load(urllib.request.urlopen(f"{self.server.url}/v1/{path}?{query}"))

    def groups(self, name, by, **parameters):
        """The groups of an aggregate, each its keys and its other values."""
        return self.get(f"aggregates/objects/{name}", by=by, **parameters)["groups"]

    def close(self):
        self.server.process.send_signal(signal.SIGTERM)
        self.server.process.wait()

    def q1(self):
        return [(each["key"]["person._id"], each["count"]) for each in self.groups("Follow", "person._id", top=3)]

    def q2(self):
        [(person, count)] = [(each["key"]["person._id"], each["count"]) for each in self.groups("Follow", "person._id", top=1)]
        found = self.get(f"objects/Person/{person}", expand="city.state.country")
        city = found["city"]
        return found["name"], count, city["name"], city["state"]["name"], city["state"]["country"]["name"]

    def q3(self):
        groups = self.groups("Person", "city._id", filter="city.state.country.name == 'United States'",
                             average="age", order="average(age),city._id", limit=5)
        return [(each["key"]["city._id"], round(each["average"]["age"], 9)) for each in groups]

    def q4(self):
        groups = self.groups("Person", "city.state.country.name", filter="age BETWEEN {30, 40}", top=3)
        return [(each["key"]["city.state.country.name"], each["count"]) for each in groups]

    def q5(self):
        return self.get("aggregates/objects/Person", filter=(
            "gender ==[c] 'male' AND city.name == 'London' AND city.state.country.name == 'United Kingdom'"
            " AND ANY interests.name ==[c] 'fine dining'"))["count"]

    def q6(self):
        groups = self.groups("Person", "city._id", filter="gender ==[c] 'female' AND ANY interests.name ==[c] 'tennis'",
                             order="-count,city._id", limit=5)
        return [(each["key"]["city._id"], each["count"]) for each in groups]

    def q7(self):
        groups = self.groups("Person", "city.state._id", filter=(
            "age BETWEEN {23, 30} AND city.state.country.name == 'United States' AND ANY interests.name ==[c] 'photography'"),
            order="-count,city.state._id", limit=1)
        return [(each["key"]["city.state._id"], each["count"]) for each in groups]


class Kuzu:
    name = "Kùzu"

    TABLES = """
        CREATE NODE TABLE Country(id INT64, name STRING, PRIMARY KEY(id));
        CREATE NODE TABLE State(id INT64, name STRING, PRIMARY KEY(id));
        CREATE NODE TABLE City(id INT64, name STRING, PRIMARY KEY(id));
        CREATE NODE TABLE Interest(id INT64, name STRING, PRIMARY KEY(id));
        CREATE NODE TABLE Person(id INT64, name STRING, gender STRING, age INT64, PRIMARY KEY(id));
        CREATE REL TABLE InCountry(FROM State TO Country);
        CREATE REL TABLE InState(FROM City TO State);
        CREATE REL TABLE LivesIn(FROM Person TO City);
        CREATE REL TABLE HasInterest(FROM Person TO Interest);
        CREATE REL TABLE Follows(FROM Person TO Person)"""
    LIVES_IN = "(p:Person)-[:LivesIn]->(c:City)-[:InState]->(s:State)-[:InCountry]->(o:Country)"
    LIKES = "(p)-[:HasInterest]->(i:Interest)"

    def __init__(self, scratch):
        self.scratch = scratch
        self.connection = kuzu.Connection(kuzu.Database(os.path.join(scratch, "kuzu")))

    def load_all(self, data):
        for statement in self.TABLES.split(";"):
            self.connection.execute(statement)
        self.copy("Country", enumerate(data.countries))
        self.copy("State", ((place, name) for place, (name, _) in enumerate(data.states)))
        self.copy("City", ((place, name) for place, (name, _) in enumerate(data.cities)))
        self.copy("Interest", enumerate(INTERESTS))
        self.copy("Person", ((place, *person[:3]) for place, person in enumerate(data.persons)))
        self.copy("InCountry", ((place, country) for place, (_, country) in enumerate(data.states)))
        self.copy("InState", ((place, state) for place, (_, state) in enumerate(data.cities)))
        self.copy("LivesIn", ((place, person[3]) for place, person in enumerate(data.persons)))
        self.copy("HasInterest", ((place, one) for place, person in enumerate(data.persons) for one in person[4]))
        self.copy("Follows", data.follows)

    def copy(self, table, rows):
        path = os.path.join(self.scratch, table + ".csv")
        with open(path, "w", newline="") as file:
            csv.writer(file).writerows(rows)
        self.connection.execute(f"COPY {table} FROM '{path}' (HEADER=false)")

    def rows(self, statement):
        result, rows = self.connection.execute(statement), []
        while result.has_next():
            rows.append(tuple(result.get_next()))
        return rows

    def close(self):
        self.connection.close()

    def q1(self):
        return self.rows("MATCH (f:Person)-[:Follows]->(p:Person) RETURN p.id, count(f.id) AS n ORDER BY n DESC, p.id LIMIT 3")

    def q2(self):
        return self.rows(
            "MATCH (f:Person)-[:Follows]->(p:Person) WITH p, count(f.id) AS n ORDER BY n DESC, p.id LIMIT 1 "
            f"MATCH {self.LIVES_IN} RETURN p.name, n, c.name, s.name, o.name")[0]

    def q3(self):
        return [(city, round(age, 9)) for city, age in self.rows(
            f"MATCH {self.LIVES_IN} WHERE o.name = 'United States' "
            "RETURN c.id AS city, avg(p.age) AS age ORDER BY age, city LIMIT 5")]

    def q4(self):
        return self.rows(
            f"MATCH {self.LIVES_IN} WHERE p.age >= 30 AND p.age <= 40 RETURN o.name, count(*) AS n ORDER BY n DESC LIMIT 3")

    def q5(self):
        return self.rows(
            f"MATCH {self.LIKES} WHERE lower(i.name) = 'fine dining' AND lower(p.gender) = 'male' WITH p, i "
            f"MATCH {self.LIVES_IN} WHERE c.name = 'London' AND o.name = 'United Kingdom' RETURN count(*)")[0][0]

    def q6(self):
        return self.rows(
            f"MATCH {self.LIKES} WHERE lower(i.name) = 'tennis' AND lower(p.gender) = 'female' WITH p, i "
            "MATCH (p)-[:LivesIn]->(c:City) RETURN c.id AS city, count(*) AS n ORDER BY n DESC, city LIMIT 5")

    def q7(self):
        return self.rows(
            f"MATCH {self.LIVES_IN} WHERE p.age >= 23 AND p.age <= 30 AND o.name = 'United States' WITH p, s "
            f"MATCH {self.LIKES} WHERE lower(i.name) = 'photography' "
            "RETURN s.id AS state, count(*) AS n ORDER BY n DESC, state LIMIT 1")


QUESTIONS = [
    ("q1", "the three persons whom most follow"), ("q2", "the city of the first of them"),
    ("q3", "the five cities of a country with the lowest average age"), ("q4", "persons of 30 to 40 years by country"),
    ("q5", "men of a city with an interest"), ("q6", "the five cities with most women who have an interest"),
    ("q7", "the state with most persons of an age who have an interest")]


def timed(question):
    begin = time.perf_counter()
    question()
    return (time.perf_counter() - begin) * 1e3


def figure(times):
    return f"{statistics.median(times):.2f} ({min(times):.2f} to {max(times):.2f})"


def main():
    program, persons = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 100_000
    data = Data(persons)
    print(f"{persons} persons, {len(data.follows)} follow another, {rounds} rounds\n", flush=True)
    with tempfile.TemporaryDirectory() as scratch:
        parties = []
        try:
            parties.append(Realmgate(program, scratch))
            if kuzu:
                parties.append(Kuzu(scratch))
            for party in parties:
                begin = time.monotonic()
                party.load_all(data)
                party.loaded = time.monotonic() - begin
            print(f"| question | {' | '.join(party.name + ', ms' for party in parties)} | {'Kùzu / Realmgate' if kuzu else ''} |")
            print(f"| --- |{' ---: |' * (len(parties) + 1)}")
            print(f"| load all | {' | '.join(f'{party.loaded * 1e3:.0f}' for party in parties)} | |", flush=True)
            for name, text in QUESTIONS:
                answers = [getattr(party, name)() for party in parties]
                if any(answer != answers[0] for answer in answers):
                    sys.exit(f"{text}: the answers differ: {answers}")
                if not answers[0]:
                    sys.exit(f"{text}: the answer is empty")
                times = [[] for _ in parties]
                for _ in range(rounds):
                    for party, figures in zip(parties, times):
                        figures.append(timed(getattr(party, name)))
                ratio = f"{statistics.median(times[1]) / statistics.median(times[0]):.2f}" if kuzu else ""
                print(f"| {text} | {' | '.join(map(figure, times))} | {ratio} |", flush=True)
        finally:
            for party in parties:
                party.close()


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3) or sys.argv[1] in ("--help", "-h"):
        sys.exit(__doc__)
    main()
