/** Requests to our own server, with the user's token: typed by its OpenAPI description, refused as ApiError. */
import { ApiError, asApiError, errorOf, notRenewed } from "./errors";
import type { paths } from "./schema";

export interface TokenSource {
  /** The token to send, refreshed when it is about to expire; null: nobody is signed in. */
  token(): Promise<string | null>;
  /** A new token after the server refused the last one; null: sign in again. Throws when nobody could be asked. */
  refresh(): Promise<string | null>;
}

const nobody: TokenSource = { token: async () => null, refresh: async () => null };
let tokens: TokenSource = nobody;
let tellRefused: (token: string | null) => void = () => undefined;

/** `onRefused`: the server has refused this token, and there was no other. */
export function takeTokensFrom(source: TokenSource | null, onRefused: typeof tellRefused = () => undefined): void {
  tokens = source ?? nobody;
  tellRefused = onRefused;
}

/** How a request goes out, where fetch is not enough. */
export type Send = (url: RequestInfo | URL, init: RequestInit) => Promise<Response>;

/** fetch with the token; a 401 is tried once more with a fresh one; throws ApiError for whatever is not a success. */
export async function authorizedFetch(url: RequestInfo | URL, init: RequestInit = {}, send: Send = fetch): Promise<Response> {
  const ask = async (token: string | null) => {
    const headers = new Headers(init.headers);
    if (token) headers.set("Authorization", `Bearer ${token}`);
    return send(url, { ...init, headers });
  };
  try {
    let token = await tokens.token().catch(fail);
    let response = await ask(token);
    if (response.status === 401) {
      const fresh = await tokens.refresh().catch(fail);
      if (fresh) response = await ask((token = fresh));
    }
    if (response.status === 401) tellRefused(token);
    if (!response.ok) throw await errorOf(response);
    return response;
  } catch (error) {
    if (error instanceof ApiError || isAbort(error)) throw error;
    throw asApiError(error);
  }
}

const fail = (error: unknown) => Promise.reject(notRenewed(error));

export const isAbort = (error: unknown): boolean => error instanceof DOMException && error.name === "AbortError";

type Method = "get" | "post" | "put" | "patch" | "delete";
type PathWith<M extends Method> = { [P in keyof paths]: paths[P] extends { [K in M]: object } ? P : never }[keyof paths];
type Operation<M extends Method, P extends keyof paths> = paths[P] extends { [K in M]: infer O } ? O : never;
type Success<O> = O extends { responses: infer R } ? R[keyof R & (200 | 201 | 202)] : never;
type Answer<O> = Success<O> extends { content: { "application/json": infer A } } ? A : undefined;
type Named<O, K extends string> = O extends { parameters: { [N in K]?: infer V } } ? V : never;
type Body<O> = O extends { requestBody?: { content: { "application/json": infer B } } } ? B : FormData;

interface Options<O> {
  path?: Named<O, "path">;
  query?: Named<O, "query">;
  body?: Body<O> | FormData;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/** `call("get", "/api/sessions", { query: { limit: 30 } })`: what the route answers; undefined for 204. */
export async function call<M extends Method, P extends PathWith<M>>(
  method: M,
  path: P,
  options: Options<Operation<M, P>> = {},
): Promise<Answer<Operation<M, P>>> {
  const { body, signal } = options;
  const headers: Record<string, string> = { Accept: "application/json", ...options.headers };
  const isForm = body instanceof FormData;
  if (body !== undefined && !isForm) headers["Content-Type"] = "application/json";
  const response = await authorizedFetch(addressOf(path, options.path as object, options.query as object), {
    method: method.toUpperCase(),
    headers,
    body: body === undefined ? undefined : isForm ? body : JSON.stringify(body),
    signal,
  });
  if (response.status === 204) return undefined as Answer<Operation<M, P>>;
  return (await response.json()) as Answer<Operation<M, P>>;
}

/** The address of a route: names in braces filled in, what is undefined or null left out of the query. */
export function addressOf(template: string, path?: object, query?: object): string {
  const filled = Object.entries(path ?? {}).reduce(
    (address, [name, value]) => address.replace(`{${name}}`, encodeURIComponent(String(value))),
    template,
  );
  const given = Object.entries(query ?? {}).filter(([, value]) => value !== undefined && value !== null && value !== "");
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return search ? `${filled}?${search}` : filled;
}
