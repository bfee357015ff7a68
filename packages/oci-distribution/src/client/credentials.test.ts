import { expect, test } from "vitest";
import { buildImage, buildIndex } from "../testing/build-image.ts";
import { fallbackTagOf } from "../attached-tag.ts";
import type { OciClientOptions } from "./client.ts";
import { openOciClient } from "./open-client.ts";

const REGISTRY = "https://registry.example";
const IMAGE = buildImage();
const BASIC = `Basic ${Buffer.from("me:secret").toString("base64")}`;

type Answering = (headers: Headers, count: number) => Response;

/** A repository of a registry that answers from a table, by method and address. */
function openTable(
  table: Readonly<Record<string, Answering>>,
  options: Partial<OciClientOptions> = {},
) {
  const seen: string[] = [];
  const client = openOciClient({
    registry: new URL(REGISTRY),
    credentials: { type: "basic", username: "me", password: "secret" },
    wait: () => Promise.resolve(),
    patience: { attemptsMax: 1, waitMaxMs: 0 },
    fetch: (url, init) => {
      const { origin, pathname } = url;
      const key = `${init.method ?? "GET"} ${origin === REGISTRY ? "" : origin}${pathname}`;
      const headers = new Headers(init.headers);
      const count = seen.filter((line) => line.startsWith(`${key}?`)).length;
      seen.push(`${key}?${url.search} ${headers.get("authorization") ?? "-"}`);
      return Promise.resolve(table[key]?.(headers, count) ?? new Response(null, { status: 404 }));
    },
    ...options,
  });
  return { place: client.repository("team/app"), seen };
}

const manifest = (): Response =>
  new Response(Buffer.from(IMAGE.bytes), {
    headers: { "content-type": IMAGE.mediaType, "docker-content-digest": IMAGE.digest },
  });
const challengeWith =
  (challenge: string): Answering =>
  (headers) =>
    headers.get("authorization") === "Bearer t"
      ? manifest()
      : new Response(null, { status: 401, headers: { "www-authenticate": challenge } });
const token = () => Response.json({ token: "t" });

const PATH = "/v2/team/app/manifests/1.0";

test.each<[string, string, ReadonlySet<string> | undefined, string]>([
  ["its own", `${REGISTRY}/token`, new Set(), BASIC],
  ["a listed one", "https://auth.example/token", new Set(["https://auth.example"]), BASIC],
  ["another one", "https://auth.example/token", new Set(["https://other.example"]), "-"],
  ["another one, without a list", "https://auth.example/token", undefined, BASIC],
])("credentials and the token service: %s", async (_, realm, tokenRealms, sent) => {
  const url = realm.replace(REGISTRY, "");
  const { place, seen } = openTable(
    {
      [`GET ${PATH}`]: challengeWith(`Basic realm="x", Bearer realm=${JSON.stringify(realm)}`),
      [`GET ${url}`]: token,
    },
    { tokenRealms },
  );
  expect((await place.manifest("1.0"))?.digest).toBe(IMAGE.digest);
  expect(seen.find((line) => line.startsWith(`GET ${url}?`))).toMatch(new RegExp(`${sent}$`));
});

test("names the token service that would get the credentials if it were listed", async () => {
  const realm = "https://auth.example/token";
  const refuse = () => new Response(null, { status: 401 });
  const { place } = openTable(
    { [`GET ${PATH}`]: challengeWith(`Bearer realm="${realm}"`), [`GET ${realm}`]: refuse },
    { tokenRealms: new Set() },
  );
  await expect(place.manifest("1.0")).rejects.toThrow(
    "https://auth.example is not among the allowed origins",
  );
});

test.each([
  ["a placeholder", "repository:user/image:pull", ["repository:team/app:pull"]],
  ["another form", "aws", ["repository:team/app:pull", "aws"]],
  [
    "more of the same repository",
    "repository:team/app:metadata_read",
    ["repository:team/app:pull", "repository:team/app:metadata_read"],
  ],
])("requests the fitting scopes of a challenge: %s", async (_, scope, wanted) => {
  const { place, seen } = openTable({
    [`GET ${PATH}`]: challengeWith(`Bearer realm="${REGISTRY}/token",scope="${scope}"`),
    "GET /token": token,
  });
  await place.manifest("1.0");
  const asked = seen.find((line) => line.startsWith("GET /token?")) ?? "";
  const [, , query = ""] = asked.split(/[? ]\??/);
  expect(new URLSearchParams(query).getAll("scope")).toEqual(wanted);
});

test("forgets a token service that fails", async () => {
  let realm = "https://away.example/token";
  const { place } = openTable({
    [`GET ${PATH}`]: (headers, count) => challengeWith(`Bearer realm="${realm}"`)(headers, count),
    "GET https://away.example/token": () => new Response(null, { status: 503 }),
    "GET /token": token,
  });
  await expect(place.manifest("1.0")).rejects.toMatchObject({ code: "unreachable" });
  realm = `${REGISTRY}/token`;
  expect((await place.manifest("1.0"))?.digest).toBe(IMAGE.digest);
});

test.each([401, 403, 405])("reads with GET what HEAD refuses with %s", async (status) => {
  const [blob] = IMAGE.blobs;
  const path = `/v2/team/app/blobs/${blob?.digest}`;
  const refuse = () => new Response(null, { status });
  const { place } = openTable({
    [`HEAD ${PATH}`]: refuse,
    [`GET ${PATH}`]: manifest,
    [`HEAD ${path}`]: refuse,
    [`GET ${path}`]: () => new Response("{}", { headers: { "content-length": "2" } }),
  });
  expect((await place.findManifest("1.0"))?.digest).toBe(IMAGE.digest);
  expect(blob && (await place.findBlob(blob.digest))).toBe(2);
});

const signature = buildImage({ subject: IMAGE.descriptor, layers: ["signed"] });
const index = buildIndex([signature, IMAGE]);
const whole = (image: typeof IMAGE) => () =>
  new Response(Buffer.from(image.bytes), { headers: { "content-type": image.mediaType } });
const REFERRERS = `GET /v2/team/app/referrers/${IMAGE.digest}`;
const FALLBACK = `GET /v2/team/app/manifests/${fallbackTagOf(IMAGE.digest)}`;

test.each<[string, Readonly<Record<string, Answering>>, readonly string[]]>([
  [
    "a redirect to a page that is busy",
    {
      [REFERRERS]: () => new Response(null, { status: 303, headers: { location: "/page" } }),
      "GET /page": () => new Response(null, { status: 429 }),
      [FALLBACK]: whole(index),
    },
    [signature.digest],
  ],
  ["no API", { [FALLBACK]: whole(index) }, [signature.digest]],
  ["no API, and the tag is the image itself", { [FALLBACK]: whole(IMAGE) }, []],
  ["nothing", {}, []],
])("referrers of a registry with %s", async (_, table, expected) => {
  const parts = [signature, IMAGE].map(
    (image) => [`GET /v2/team/app/manifests/${image.digest}`, whole(image)] as const,
  );
  const { place } = openTable({ ...Object.fromEntries(parts), ...table });
  const found = await place.referrers(IMAGE.digest);
  expect(found.map(({ digest }) => digest)).toEqual(expected);
});

test("a busy registry has not no referrers", async () => {
  const { place } = openTable({ [REFERRERS]: () => new Response(null, { status: 429 }) });
  await expect(place.referrers(IMAGE.digest)).rejects.toMatchObject({ code: "unreachable" });
});
