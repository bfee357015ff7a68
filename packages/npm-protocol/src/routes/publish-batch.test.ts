import { expect, test } from "vitest";
import type { AuthorizePackage } from "../ports.ts";
import { buildTarball } from "../testing/build-tarball.ts";
import type { PublishWish } from "../testing/publish-body.ts";
import { publishBody } from "../testing/publish-body.ts";
import { granted, json, registry } from "../testing/registry.ts";

const ADDRESSES = ["/npm/-/pnpr/v0/publish", "/npm/-/pnpm/v1/publish"] as const;
const [ADDRESS] = ADDRESSES;

const bodyOf = (...wishes: readonly PublishWish[]) =>
  `{ "packages" : [ ${wishes.map((wish) => publishBody(wish)).join(" ,\n")} ] }\n`;

/** Byte by byte, so that every boundary falls everywhere. */
function drips(text: string, size: number): ReadableStream<Uint8Array> {
  const bytes = Buffer.from(text);
  let offset = 0;
  return new ReadableStream({
    pull(controller) {
      if (offset >= bytes.length) return controller.close();
      controller.enqueue(bytes.subarray(offset, offset + size));
      offset += size;
    },
  });
}

test.each(ADDRESSES)("stores all packages of a batch that is put to %s", async (address) => {
  for (const size of [1, 7, 1 << 20]) {
    const { app, ports } = registry();
    const body = drips(bodyOf({ name: "a" }, { name: "@acme/b" }, { name: "c" }), size);
    const init = { method: "PUT", headers: json, body, duplex: "half" };
    const answer = await app.request(address, init as RequestInit);
    expect([answer.status, await answer.json()]).toEqual([200, { success: true }]);
    for (const name of ["a", "@acme/b", "c"]) {
      expect((await app.request(`/npm/${name}`)).status).toBe(200);
    }
    expect([ports.inspect.blobs().length, ports.inspect.staged()]).toEqual([3, 0]);
    expect(ports.inspect.counted.filter((entry) => entry === "push")).toHaveLength(3);
    const again = await app.request(address, {
      method: "PUT",
      headers: json,
      body: bodyOf({ name: "a" }, { name: "@acme/b" }, { name: "c" }),
    });
    expect(again.status).toBe(200);
    expect(ports.inspect.blobs()).toHaveLength(3);
  }
});

const other = buildTarball({ name: "here", files: { other: "x" } });

test.each<[string, string, number, RegExp]>([
  [
    "a version that exists",
    bodyOf({ name: "a" }, { name: "here", tarball: other }),
    403,
    /previously published versions: here@1\.0\.0/,
  ],
  [
    "a broken tarball",
    bodyOf({ name: "a" }, { name: "b", tarball: Buffer.from("x") }),
    422,
    /^Package 2 of the batch: .*gzip.* Nothing was published\.$/,
  ],
  [
    "the same version twice",
    bodyOf(
      { name: "a" },
      { name: "a", tarball: buildTarball({ name: "a", files: { other: "x" } }) },
    ),
    403,
    /a@1\.0\.0/,
  ],
  [
    "a name that must not be",
    bodyOf({ name: "a" }, { name: "b" }).replace('"name":"b"', '"name":"../b"'),
    400,
    /Package 2 .*not a package name/,
  ],
  [
    "another ecosystem",
    bodyOf({ name: "a" }).replace("[ {", '[ {"ecosystem":"cargo",'),
    400,
    /npm packages only/,
  ],
  [
    "a document without tarball",
    bodyOf({ name: "a" }).replace("[", '[{"name":"b","versions":{"1.0.0":{}}},'),
    400,
    /no tarball/,
  ],
  ["no packages", '{"packages":[]}', 400, /no packages/],
  ["no batch", publishBody({ name: "a" }), 400, /not a batch/],
  ["no object", "[]", 400, /not a batch/],
  ["a comma too many", bodyOf({ name: "a" }).replace("]", ",]"), 400, /./],
  ["something behind it", `${bodyOf({ name: "a" })}x`, 400, /not a batch/],
  ["half a batch", bodyOf({ name: "a" }, { name: "b" }).slice(0, -40), 400, /ends|early/],
  ["another key", bodyOf({ name: "a" }).replace(" }\n", ', "x": 1}'), 400, /not a batch/],
])("stores nothing of a batch with %s", async (_, body, status, text) => {
  const { app, ports } = registry();
  const put = (address: string, sent: string) =>
    app.request(address, { method: "PUT", headers: json, body: sent });
  await put("/npm/here", publishBody({ name: "here" }));
  const answer = await put(ADDRESS, body);
  const { error } = (await answer.json()) as { readonly error: string };
  expect([answer.status, error]).toEqual([status, expect.stringMatching(text)]);
  expect((await app.request("/npm/a")).status).toBe(404);
  expect([ports.inspect.blobs().length, ports.inspect.staged()]).toEqual([1, 0]);
});

test("asks for the right to publish each package before its neighbours are stored", async () => {
  const authorize: AuthorizePackage = async (_request, _env, { name }) =>
    name === "secret" ? { status: "denied", reason: "not that one" } : granted("alice");
  const { app, ports } = registry({ authorize });
  const answer = await app.request(ADDRESS, {
    method: "PUT",
    headers: json,
    body: bodyOf({ name: "a" }, { name: "secret" }),
  });
  expect([answer.status, await answer.json()]).toMatchObject([
    403,
    { error: "Package 2 of the batch: not that one. Nothing was published." },
  ]);
  expect(ports.inspect.blobs()).toEqual([]);
});

test("takes no more than 256 packages", async () => {
  const { app, ports } = registry();
  const names = Array.from({ length: 257 }, (_, index) => ({ name: `p${index}` }));
  const init = { method: "PUT", headers: json, body: bodyOf(...names) };
  expect((await app.request(ADDRESS, init)).status).toBe(413);
  expect([ports.inspect.blobs().length, ports.inspect.staged()]).toEqual([0, 0]);
  const most = { ...init, body: bodyOf(...names.slice(1)) };
  expect((await app.request(ADDRESS, most)).status).toBe(200);
});
