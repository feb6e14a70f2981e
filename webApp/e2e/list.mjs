// The list of conversations in the sidebar, for the tests that look at it.
export const rows = (page) => page.locator(".layout > .sidebar [data-session]");
export const row = (page, title) => rows(page).filter({ hasText: title });
export const make = ({ server, user }, title, more = {}) => server.as(user, "POST", "/api/sessions", { title, ...more });
export const listed = async ({ server, user }, query = "") => (await server.as(user, "GET", `/api/sessions${query}`)).body.sessions;

export async function choose(page, title, action) {
  await row(page, title).hover();
  await page.locator(".layout > .sidebar").getByRole("button", { name: `More for ${title}` }).click();
  await page.getByRole("menuitem", { name: action }).click();
}
