import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createOciApp } from "./app.ts";
import { digestOf } from "./digest.ts";
import {
  PARENT,
  RUNS,
  TIMEOUT_MS,
  encoded,
  expectForm,
  hostileText,
  openRegistry,
  raw,
  timed,
} from "./fuzz.test.support.ts";
import { buildIndex } from "./testing/build-image.ts";
import { createMemoryAccess } from "./testing/memory-access.ts";
import { createMemoryOciPorts } from "./testing/memory-ports.ts";

const ORIGIN = "http://registry.test";
const OWNER = { name: "owner", password: "secret", may: () => true };

const EMPTY = buildIndex([]);
const SEGMENTS = [
  "v2",
  "_catalog",
  "token",
  "team",
  "app",
  "blobs",
  "uploads",
  "uploads/",
  "manifests",
  "tags",
  "list",
  "referrers",
  "1",
  PARENT.digest,
  PARENT.blobs[0]?.digest ?? "",
] as const;
const QUERY = [
  "digest",
  "digest-algorithm",
  "mount",
  "from",
  "n",
  "last",
  "tag",
  "artifactType",
  "scope",
  "service",
  "client_id",
  "offline_token",
] as const;
const HEADERS = [
  "range",
  "if-range",
  "content-range",
  "content-length",
  "content-type",
  "accept",
  "if-none-match",
  "if-match",
  "authorization",
] as const;
const headerValue = fc.oneof(
  fc.constantFrom("bytes=500-0", "bytes=-1", "bytes=0-0,2-3", "0-0", "5-1", "bytes 0-4/*", "*/*"),
  fc.constantFrom("99999999999999999999-1", "-1", `"${PARENT.digest}"`, "Basic !", "Bearer x"),
  hostileText.map((text) => text.replaceAll(/[^!-~]/g, "")),
);

const anyAddress = fc
  .tuple(
    fc.array(
      fc.oneof(
        { weight: 5, arbitrary: fc.constantFrom(...SEGMENTS) },
        hostileText.map(encoded),
        hostileText.map(raw),
      ),
      { maxLength: 6 },
    ),
    fc.array(fc.tuple(fc.constantFrom(...QUERY), hostileText), { maxLength: 3 }),
  )
  .map(([segments, query]) => {
    const queryString = query.map(([key, value]) => `${key}=${encoded(value)}`).join("&");
    return `${ORIGIN}/v2/${segments.join("/")}?${queryString}`;
  });

test(
  "any method at any address with any header and body is answered in the protocol's form",
  () =>
    fc.assert(
      fc.asyncProperty(
        fc.constantFrom("GET", "HEAD", "PUT", "POST", "DELETE", "PATCH", "OPTIONS"),
        anyAddress,
        fc.dictionary(fc.constantFrom(...HEADERS), headerValue, { maxKeys: 3 }),
        fc.oneof(hostileText, fc.constant(Buffer.from(PARENT.bytes).toString())),
        async (method, path, headers, body) => {
          const { app, ports } = await openRegistry();
          const before = ports.files.objects.size;
          const sent = method === "GET" || method === "HEAD" ? {} : { body: body.toWellFormed() };
          const answer = await timed(() => app.request(path, { method, headers, ...sent }));
          if (new URL(path).pathname.startsWith("/v2/")) await expectForm(answer, method);
          if (answer.status >= 400) expect(ports.files.objects.size).toBe(before);
          expect(ports.files.pending()).toEqual([]);
        },
      ),
      RUNS,
    ),
  TIMEOUT_MS,
);

test(
  "a name or a tag outside the grammar is refused, and every other is taken",
  () =>
    fc.assert(
      fc.asyncProperty(
        fc.oneof(hostileText, fc.stringMatching(/^[a-z0-9._/-]{1,12}$/), fc.constant("team/app")),
        fc.oneof(hostileText, fc.stringMatching(/^[a-zA-Z0-9._-]{1,12}$/), fc.constant("1")),
        async (name, tag) => {
          const { app, ports } = await openRegistry();
          const events = ports.events.length;
          const path = name.split("/").map(encoded).join("/");
          const address = `${ORIGIN}/v2/${path}/manifests/${encoded(tag)}`;
          // What a URL makes of dots is asked of a socket, in the tests of the host.
          fc.pre(!/(?:^|\/)\.{1,2}(?:\/|$)/.test(`${name}/${tag}`));
          const answer = await timed(() =>
            app.request(address, {
              method: "PUT",
              headers: { "content-type": EMPTY.mediaType },
              body: new Uint8Array(EMPTY.bytes),
            }),
          );
          await expectForm(answer, "PUT");
          const isGood = isName(name) && isTagText(tag);
          const isOwnDigest = isName(name) && tag === EMPTY.digest;
          expect(answer.status === 201).toBe(isGood || isOwnDigest);
          if (answer.status !== 201) expect(ports.events).toHaveLength(events);
        },
      ),
      RUNS,
    ),
  TIMEOUT_MS,
);

const step = fc.record({
  method: fc.constantFrom("PATCH" as const, "PATCH" as const, "PUT" as const),
  bytes: fc.uint8Array({ maxLength: 40 }),
  /** Added to where the upload stands; without one there is no Content-Range. */
  ahead: fc.option(fc.constantFrom(0, 0, 0, 1, -1, 1_000), { nil: undefined }),
  /** Added to the true length in Content-Range. */
  longer: fc.constantFrom(0, 0, 0, 0, 1, -1),
  rightDigest: fc.boolean(),
});

test(
  "an upload keeps the chunks that fit, in order, and names only what has the digest",
  () =>
    fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async (steps) => {
        const { app, ports } = await openRegistry();
        const objects = ports.files.objects.size;
        const opened = await app.request("/v2/team/app/blobs/uploads/", { method: "POST" });
        const session = opened.headers.get("location") ?? "";
        let keptBytes = Buffer.alloc(0);
        for (const { method, bytes, ahead, longer, rightDigest } of steps) {
          const start = keptBytes.length + (ahead ?? 0);
          const end = start + bytes.length - 1 + longer;
          const sane = start >= 0 && end >= start;
          const fits = ahead === undefined || (sane && ahead === 0 && longer === 0);
          const whole = Buffer.concat([keptBytes, bytes]);
          const digest = rightDigest ? digestOf(whole) : digestOf(Buffer.from("other"));
          const path = method === "PUT" ? `${session}?digest=${digest}` : session;
          const answer = await timed(() =>
            app.request(path, {
              method,
              headers: {
                "content-length": `${bytes.length}`,
                ...(ahead !== undefined && { "content-range": `${start}-${end}` }),
              },
              body: new Uint8Array(bytes),
            }),
          );
          await expectForm(answer, method);
          if (method === "PUT" && fits) {
            expect(answer.status).toBe(rightDigest ? 201 : 400);
            expect(ports.files.objects.size).toBe(objects + (rightDigest ? 1 : 0));
            expect(ports.files.pending()).toEqual([]);
            expect((await app.request(session)).status).toBe(404);
            return;
          }
          expect([202, 400, 416]).toContain(answer.status);
          expect(answer.status === 202).toBe(fits);
          if (fits) keptBytes = whole;
          const status = await app.request(session);
          expect(status.headers.get("range")).toBe(`0-${Math.max(0, keptBytes.length - 1)}`);
        }
        expect(ports.files.objects.size).toBe(objects);
      }),
      RUNS,
    ),
  TIMEOUT_MS,
);

const FORM = ["grant_type", "username", "password", "refresh_token", "scope", "client_id"] as const;

test(
  "the token service answers anything, and grants nothing that was not named",
  () =>
    fc.assert(
      fc.asyncProperty(
        fc.constantFrom("GET", "POST"),
        fc.array(
          fc.tuple(
            fc.constantFrom(...FORM, "service", "access_type"),
            fc.oneof(
              hostileText,
              fc.constantFrom("password", "refresh_token", "offline", OWNER.name),
              fc.constantFrom("repository:team/app:pull,push", "repository:a:5/b:*", ":::", "a:b"),
            ),
          ),
          { maxLength: 8 },
        ),
        fc.option(headerValue, { nil: undefined }),
        async (method, fields, authorization) => {
          const access = createMemoryAccess([OWNER, { name: "anonymous", may: () => false }]);
          const app = createOciApp(createMemoryOciPorts({ access }), { service: "registry.test" });
          const text = fields.map(([key, value]) => `${key}=${encoded(value)}`).join("&");
          const path = method === "GET" ? `/token?${text}` : "/token";
          const body = method === "POST" ? { body: text } : {};
          const headers = authorization === undefined ? {} : { authorization };
          const answer = await timed(() => app.request(path, { method, headers, ...body }));
          expect([200, 400, 401, 413]).toContain(answer.status);
          if (answer.status !== 200) return expectForm(answer, method);
          const { token } = (await answer.json()) as { readonly token: string };
          const bearer = { headers: { authorization: `Bearer ${token}` } };
          expect((await app.request("/v2/team/app/tags/list", bearer)).status).toBe(401);
        },
      ),
      RUNS,
    ),
  TIMEOUT_MS,
);

/** The grammar once more, in other words than the code's. */
function isName(text: string): boolean {
  const parts = text.split("/");
  return text.length <= 200 && parts.every((part) => part.split(/[._-]+/).every(isWord(part)));
}

function isWord(part: string): (word: string) => boolean {
  const separators = part.match(/[._-]+/g) ?? [];
  const good = separators.every(
    (separator) => separator === "." || separator === "__" || /^(?:_|-+)$/.test(separator),
  );
  return (word) => good && /^[a-z0-9]+$/.test(word);
}

function isTagText(text: string): boolean {
  return (
    !/[^\w.-]/.test(text) && text.length > 0 && text.length <= 128 && !/[.-]/.test(text[0] ?? "")
  );
}
