import { expect, test } from "vitest";
import { ApiError, offline } from "../api/errors";
import { frameOf, steady } from "./steadyStream";

const event = (n: number, data = `{"n":${n}}`) => `id: turn:${n}\ndata: ${data}\n\n`;
const DONE = "data: [DONE]\n\n";

function streamOf(pieces: string[], breaks = false): ReadableStream<Uint8Array> {
  const left = [...pieces];
  return new ReadableStream({
    pull(controller) {
      const piece = left.shift();
      if (piece !== undefined) controller.enqueue(new TextEncoder().encode(piece));
      else if (breaks) controller.error(new TypeError("network error"));
      else controller.close();
    },
  });
}

const textOf = (stream: ReadableStream<Uint8Array>) => new Response(stream).text();
const pause = async () => undefined;

test("an unbroken stream passes as it is, however it is cut into pieces", async () => {
  const whole = event(1) + ": comment\n\n" + event(2, '{"text":"🌋"}') + DONE;
  const bytes = new TextEncoder().encode(whole);
  const single = new ReadableStream<Uint8Array>({
    start(controller) {
      bytes.forEach((byte) => controller.enqueue(Uint8Array.of(byte)));
      controller.close();
    },
  });
  expect(await textOf(steady(single, { rest: () => Promise.reject(new Error("never asked")), pause }))).toBe(whole);
});

test.each([true, false])("a break amid an event goes on behind the last whole one (broken: %s)", async (breaks) => {
  const asked: (string | null)[] = [];
  const rest = async (id: string | null) => {
    asked.push(id);
    return streamOf(asked.length === 1 ? [event(3), "id: turn:4\nda"] : [event(4), DONE], breaks);
  };
  const heard = await textOf(steady(streamOf([event(1), event(2), "id: turn:3\ndata: {"], breaks), { rest, pause }));
  expect(heard).toBe(event(1) + event(2) + event(3) + event(4) + DONE);
  expect(asked).toEqual(["turn:2", "turn:3"]);
});

test("a server that cannot be reached is asked again, for a while", async () => {
  let tries = 0;
  const rest = async () => {
    tries += 1;
    if (tries < 5) throw offline();
    return streamOf([DONE]);
  };
  expect(await textOf(steady(streamOf([event(1)]), { rest, pause }))).toBe(event(1) + DONE);
  tries = -100;
  await expect(textOf(steady(streamOf([event(1)]), { rest, pause }))).rejects.toMatchObject({ code: "interrupted" });
});

test("when there is nothing more, or it is forbidden, the stream says so instead of ending quietly", async () => {
  await expect(textOf(steady(streamOf([event(1)]), { rest: async () => null, pause }))).rejects.toMatchObject({
    code: "interrupted",
  });
  const forbidden = () => Promise.reject(new ApiError(401, "unauthenticated", "Sign in."));
  await expect(textOf(steady(streamOf([event(1)]), { rest: forbidden, pause }))).rejects.toMatchObject({ status: 401 });
});

test("an event tells its id and whether it is the last", () => {
  expect(frameOf("id: a:1\ndata: {}\n\n")).toEqual({ id: "a:1", isLast: false });
  expect(frameOf(DONE)).toEqual({ id: null, isLast: true });
});
