/** What the server says when it refuses: a problem (RFC 9457) with a stable code and a sentence for a person. */
import { strings } from "../strings";

export class ApiError extends Error {
  override name = "ApiError";
  /** When the server takes it again, as far as it has said; milliseconds since 1970. */
  readonly retryAt: number | null;

  constructor(
    readonly status: number, // 0: nobody answered
    readonly code: string,
    readonly detail: string,
    readonly retryAfter: number | null = null, // seconds
    readonly extra: Readonly<Record<string, unknown>> = {},
  ) {
    super(detail);
    this.retryAt = retryAfter === null ? null : Date.now() + retryAfter * 1000;
  }

  get isOffline(): boolean {
    return this.status === 0;
  }
}

export const NOT_RENEWED = "not_renewed";

export const offline = () => new ApiError(0, "offline", strings.errors.offline);

/** Any error as one whose `detail` can be shown. */
export function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof TypeError) return offline(); // what fetch throws when nobody answers
  return new ApiError(-1, "unexpected", strings.errors.unexpected);
}

/** Why there is no fresh token: who was out of reach may be there the next time; who refused may want another sign-in. */
export function notRenewed(error: unknown): ApiError {
  const { isOffline, status, retryAfter } = asApiError(error);
  return isOffline ? offline() : new ApiError(status, NOT_RENEWED, strings.errors.notRenewed, retryAfter);
}

/** The error that a response tells, whatever its body turns out to be. */
export async function errorOf(response: Response): Promise<ApiError> {
  const text = await response.text().catch(() => "");
  return problemOf(response.status, text, response.headers.get("retry-after"));
}

export function problemOf(status: number, text: string, retryAfter: string | null): ApiError {
  const seconds = retryAfter === null ? NaN : Number(retryAfter);
  const after = Number.isFinite(seconds) && seconds >= 0 ? seconds : null;
  try {
    const { code, detail, ...extra } = JSON.parse(text) as Record<string, unknown>;
    if (typeof code === "string" && typeof detail === "string") return new ApiError(status, code, detail, after, extra);
  } catch {
    // a proxy's page, or nothing: our own words
  }
  return new ApiError(status, "unexpected", status >= 500 ? strings.errors.server : strings.errors.unexpected, after);
}
