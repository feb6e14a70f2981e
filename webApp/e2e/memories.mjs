// What is remembered of the test's own user, past the page.
export const memories = async ({ server, user }, query = "") => (await server.as(user, "GET", `/api/memories?limit=200${query}`)).body.memories;
export const make = async ({ server, user }, body) => (await server.as(user, "POST", "/api/memories", body)).body;
