"""What the tests of Supabase Auth need of it, for machines that do not have it: it reads the same variables, keeps
users in the same database, and signs tokens of the same shape. It says nothing about how the real one behaves."""

import json
import os
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

import jwt
import psycopg

ISSUER = os.environ["GOTRUE_JWT_ISSUER"]
KEYS = [jwt.PyJWK.from_dict(key) for key in json.loads(os.environ.get("GOTRUE_JWT_KEYS", "[]"))]
PUBLIC = ("kty", "kid", "alg", "crv", "x", "y")


class Auth(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        listed = [{name: key[name] for name in PUBLIC} for key in json.loads(os.environ.get("GOTRUE_JWT_KEYS", "[]"))]
        self.answer(200, {"keys": listed} if self.path.endswith("jwks.json") else {"name": "stand-in"})

    def do_POST(self) -> None:
        given = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        row = {"email": given["email"], "password": given["password"]}
        with psycopg.connect(os.environ["GOTRUE_DB_DATABASE_URL"]) as connection:
            connection.execute(
                "create table if not exists auth.users (id uuid default gen_random_uuid(), email text, password text)"
            )
            if urlsplit(self.path).path == "/signup":
                connection.execute("insert into auth.users (email, password) values (%(email)s, %(password)s)", row)
            query = "select id from auth.users where email = %(email)s and password = %(password)s"
            found = connection.execute(query, row).fetchone()
        if found is None:
            self.answer(400, {"error_code": "invalid_credentials"})
        else:
            self.answer(200, {"access_token": token_for(str(found[0])), "token_type": "bearer"})

    def answer(self, status: int, body: dict) -> None:
        raw = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, *_: object) -> None:
        pass


def token_for(user_id: str) -> str:
    now = int(time.time())
    times = {"iat": now, "exp": now + int(os.environ["GOTRUE_JWT_EXP"])}
    role = os.environ["GOTRUE_JWT_DEFAULT_GROUP_NAME"]
    claims = {"sub": user_id, "aud": os.environ["GOTRUE_JWT_AUD"], "iss": ISSUER, "role": role, **times}
    if KEYS:
        return jwt.encode(claims, KEYS[0].key, "ES256", headers={"kid": KEYS[0].key_id})
    return jwt.encode(claims, os.environ["GOTRUE_JWT_SECRET"], "HS256")


if __name__ == "__main__":
    where = (os.environ["GOTRUE_API_HOST"], int(os.environ["GOTRUE_API_PORT"]))
    ThreadingHTTPServer(where, Auth).serve_forever()
