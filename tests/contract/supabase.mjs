// supabase-js as a page uses it, with chatServer as its only origin.
// Reads one JSON line: {origin, email, password}; writes one JSON line: what each step gave.
import { createClient } from "@supabase/supabase-js";
import { text } from "node:stream/consumers";

const { origin, email, password } = JSON.parse(await text(process.stdin));
const page = () => createClient(origin, "any-key");
const asError = (error) => error && { name: error.name, status: error.status, code: error.code };

function ours(path, token, body) {
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json", Accept: "application/json" };
  return fetch(origin + path, { method: "POST", headers, body: JSON.stringify(body) });
}

async function resolved(token) {
  const answer = await ours("/api/sessions/resolve", token, {});
  return { status: answer.status, session: (await answer.json()).session_id };
}

async function turnsPerMinute(token) {
  const answer = await ours("/api/chat", token, { message: "hello" });
  return { status: answer.status, limit: answer.headers.get("x-ratelimit-limit-requests") };
}

const told = {};

const signedUp = await page().auth.signUp({ email, password });
told.signUp = { error: asError(signedUp.error), user: signedUp.data.user?.id, email: signedUp.data.user?.email };

const wrong = await page().auth.signInWithPassword({ email, password: "wrong" });
told.wrongPassword = { error: asError(wrong.error), session: wrong.data.session };

const supabase = page();
const signedIn = await supabase.auth.signInWithPassword({ email, password });
told.signIn = { error: asError(signedIn.error), user: signedIn.data.user?.id };

const { data: { session: first } } = await supabase.auth.getSession();
told.firstToken = await resolved(first.access_token);

const { data: { session: second }, error: notRefreshed } = await supabase.auth.refreshSession();
told.refresh = { error: asError(notRefreshed), rotated: second?.refresh_token !== first.refresh_token };
told.secondToken = await resolved(second.access_token);
told.turns = await turnsPerMinute(second.access_token);

const asked = await supabase.auth.getUser();
told.user = { error: asError(asked.error), id: asked.data.user?.id, email: asked.data.user?.email };

const read = await supabase.auth.getClaims(); // asymmetric: checked here, with the keys of /.well-known/jwks.json
told.claims = { error: asError(read.error), sub: read.data?.claims.sub, alg: read.data?.header.alg };

const signedOut = await supabase.auth.signOut();
const { data: { session: left } } = await supabase.auth.getSession();
told.signOut = { error: asError(signedOut.error), session: left };
told.userAfterwards = asError((await supabase.auth.getUser(second.access_token)).error);
told.refreshAfterwards = asError((await page().auth.refreshSession({ refresh_token: second.refresh_token })).error);
told.tokenAfterwards = await resolved(second.access_token);

const nobody = await page().auth.signInAnonymously();
told.anonymous = { error: asError(nobody.error), is_anonymous: nobody.data.user?.is_anonymous };
told.anonymousTurns = await turnsPerMinute(nobody.data.session.access_token);

// Clients go on refreshing their sessions, and would keep the process.
process.stdout.write(JSON.stringify(told) + "\n", () => process.exit(0));
