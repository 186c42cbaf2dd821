// The entries of an outbox in IndexedDB, in the order of their numbers.

const settled = (request) => new Promise((done, fail) => {
  request.onsuccess = () => done(request.result);
  request.onerror = () => fail(request.error);
});

/** Opens the database of a name. What `add`, `put` and `delete` have promised is on the disk. */
export async function keep(name) {
  const opening = indexedDB.open(`realmgate outbox ${name}`, 1);
  opening.onupgradeneeded = () => { opening.result.createObjectStore("writes", { keyPath: "id", autoIncrement: true }); };
  const database = await settled(opening);
  // A later version of this page may need the database for itself.
  database.onversionchange = () => database.close();

  async function change(block) {
    const transaction = database.transaction("writes", "readwrite", { durability: "strict" });
    const ended = new Promise((done, fail) => {
      transaction.oncomplete = () => done();
      transaction.onabort = () => fail(transaction.error);
    });
    const result = await settled(block(transaction.objectStore("writes")));
    await ended;
    return result;
  }

  return {
    all: () => settled(database.transaction("writes").objectStore("writes").getAll()),
    add: (entry) => change((store) => store.add(entry)),
    put: (entry) => change((store) => store.put(entry)),
    delete: (id) => change((store) => store.delete(id)),
  };
}
