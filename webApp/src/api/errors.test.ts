import { expect, test } from "vitest";
import { strings } from "../strings";
import { ApiError, asApiError, problemOf } from "./errors";

test("a problem is told in the server's sentence, with its code and when to come back", () => {
  const body = { title: "Too many", status: 429, detail: "Wait 12 s.", code: "rate_limited", limit: "parallel_turns" };
  const error = problemOf(429, JSON.stringify(body), "12");
  expect(error).toMatchObject({ status: 429, code: "rate_limited", detail: "Wait 12 s.", retryAfter: 12 });
  expect(error.extra.limit).toBe("parallel_turns");
  expect(Math.abs(error.retryAt! - Date.now() - 12_000)).toBeLessThan(5_000);
});

test.each(["<html>bad gateway</html>", "", "[]", "null", '{"code": 1}'])("a body %j that is no problem gets our own words", (body) => {
  expect(problemOf(502, body, "soon")).toMatchObject({ detail: strings.errors.server, retryAfter: null });
  expect(problemOf(400, body, null).detail).toBe(strings.errors.unexpected);
});

test("what fetch throws when nobody answers is being offline, anything else is not shown as it is", () => {
  expect(asApiError(new TypeError("Failed to fetch")).isOffline).toBe(true);
  expect(asApiError(new RangeError("inside")).detail).toBe(strings.errors.unexpected);
  const own = new ApiError(404, "x", "y");
  expect(asApiError(own)).toBe(own);
});

test("a wait is told in the unit that a person would use", () => {
  const told = [1, 120, 121, 7200, 7201].map(strings.shell.retryIn);
  expect(told.map((each) => each.replace("Try again in ", ""))).toEqual(["1 s", "120 s", "3 min", "120 min", "3 h"]);
});
