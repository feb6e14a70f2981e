/** What is too large for localStorage outlives a reload in the browser's database. It may be full or forbidden: then nothing
 *  is kept, and all else works. */
const NAME = "chatLarge";

/** One after the other: what was asked for first is done first. */
let line: Promise<unknown> = Promise.resolve();

function inTurn(work: (things: IDBObjectStore) => IDBRequest): Promise<unknown> {
  const done = line.then(async () => {
    const opening = indexedDB.open(NAME);
    opening.onupgradeneeded = () => opening.result.createObjectStore(NAME);
    const database = await answered(opening);
    try {
      return await answered(work(database.transaction(NAME, "readwrite").objectStore(NAME)));
    } finally {
      database.close();
    }
  });
  return (line = done.catch(() => undefined)); // as said
}

const answered = <Found>(request: IDBRequest<Found>): Promise<Found> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error(NAME));
  });

export const keepLarge = (key: string, value: object | null): Promise<unknown> =>
  inTurn((things) => (value === null ? things.delete(key) : things.put(value, key)));

export const keptLarge = (key: string): Promise<unknown> => inTurn((things) => things.get(key));

export const dropLarge = (isTheirs: (key: string) => boolean): Promise<unknown> =>
  inTurn((things) => {
    const keys = things.getAllKeys();
    keys.addEventListener("success", () => keys.result.map(String).filter(isTheirs).forEach((key) => things.delete(key)));
    return keys;
  });
