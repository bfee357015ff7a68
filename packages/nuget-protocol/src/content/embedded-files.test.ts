import { createHash, randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { readEmbeddedFile } from "./embedded-file.ts";
import { buildNupkg, buildNuspec, sourceOf } from "../testing/build-nupkg.ts";
import { createTestFeed } from "../testing/test-feed.ts";

const PNG = Buffer.from("89504e470d0a1a0a0000", "hex");
const JPEG = Buffer.from("ffd8ffe00010", "hex");
const recipe = {
  id: "Acme.Widgets",
  version: "1.0-Beta",
  metadata: `<icon>images\\icon.png</icon><readme>docs/README.md</readme>
    <license type="file">LICENSE</license>`,
  files: {
    "images/icon.png": PNG,
    "docs/README.md": "\ufeff# Größe",
    LICENSE: "Free <script>alert(1)</script>",
    "lib/a.dll": randomBytes(200_000),
  },
};
const FILES = [
  ["readme", "text/markdown; charset=utf-8", Buffer.from("\ufeff# Größe")],
  ["icon", "image/png", PNG],
  ["license", "text/plain; charset=utf-8", Buffer.from("Free <script>alert(1)</script>")],
] as const;

test.each(FILES)("gives the %s of a package, as %s", async (kind, contentType, bytes) => {
  const feed = createTestFeed();
  await feed.push(buildNupkg(recipe));
  for (const version of ["1.0.0-beta", "1.0-BETA", "1.0.0.0-Beta%2Bmeta"]) {
    const response = await feed.get(`/v3/package/Acme.Widgets/${version}/${kind}`);
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": contentType,
      "content-length": String(bytes.length),
      etag: `"${createHash("sha256").update(bytes).digest("hex")}"`,
      "x-content-type-options": "nosniff",
      "content-security-policy": "sandbox; default-src 'none'",
      "cache-control": "private, max-age=600",
    });
    expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true);
  }
  expect(feed.counted).toEqual(["push"]);
});

test("answers HEAD, conditional requests and ranges for them", async () => {
  const feed = createTestFeed();
  await feed.push(buildNupkg(recipe));
  for (const [kind, , bytes] of FILES) {
    const path = `/v3/package/acme.widgets/1.0.0-beta/${kind}`;
    const head = await feed.app.request(path, { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
    const etag = head.headers.get("etag") ?? "";
    expect((await feed.get(path, { "if-none-match": etag })).status).toBe(304);
    const part = await feed.get(path, { range: "bytes=1-2" });
    expect(part.status).toBe(206);
    expect(Buffer.from(await part.arrayBuffer())).toEqual(bytes.subarray(1, 3));
    expect((await feed.get(path, { range: "bytes=999-" })).status).toBe(416);
  }
});

test("links from registration to what it gives", async () => {
  const feed = createTestFeed();
  await feed.push(buildNupkg(recipe));
  const text = await (await feed.get("/v3/registration/acme.widgets/index.json")).text();
  for (const [kind] of FILES) {
    const [, url = ""] = new RegExp(`"${kind}Url":"([^"]+)"`).exec(text) ?? [];
    expect((await feed.get(new URL(url).pathname)).status).toBe(200);
  }
});

test.each(["readme", "icon", "license"])("answers 404 where there is no %s", async (kind) => {
  const feed = createTestFeed();
  await feed.fill("acme", "1.0.0");
  const mit = { metadata: '<license type="expression">MIT</license>' };
  await feed.push(buildNupkg({ id: "acme", version: "2.0.0", ...mit }));
  for (const path of ["acme/1.0.0", "acme/2.0.0", "acme/3.0.0", "other/1.0.0", "a..b/1.0.0"]) {
    const response = await feed.get(`/v3/package/${path}/${kind}`);
    expect(response.status, path).toBe(404);
    expect(response.headers.get("content-type")).toBe("application/problem+json");
  }
  const problem: unknown = await feed.json(`/v3/package/acme/1.0.0/${kind}`);
  expect(problem).toMatchObject({ problems: [`This version has no ${kind} file.`] });
});

test("needs the permission to read", async () => {
  const feed = createTestFeed({ authorize: async () => ({ status: "anonymous" }) });
  expect((await feed.get("/v3/package/acme/1.0.0/icon")).status).toBe(401);
});

test("inflates an icon once, and names an archive that it cannot read", async () => {
  const feed = createTestFeed();
  await feed.push(buildNupkg(recipe));
  let reads = 0;
  const counting = createTestFeed({
    ...feed.ports,
    files: {
      ...feed.ports.files,
      read(key, range) {
        reads += 1;
        return feed.ports.files.read(key, range);
      },
    },
  });
  const path = "/v3/package/acme.widgets/1.0.0-beta/icon";
  expect((await counting.get(path)).status).toBe(200);
  const once = reads;
  for (let time = 0; time < 3; time++) expect((await counting.get(path)).status).toBe(200);
  expect(reads).toBe(once);

  const damaged = createTestFeed({
    ...feed.ports,
    files: { ...feed.ports.files, read: (_, range) => sourceOf(randomBytes(999_999)).read(range) },
  });
  const response = await damaged.get(path);
  expect(response.status).toBe(404);
  expect(await response.text()).toContain("The icon file of this package cannot be read.");
});

test("gives a manifest as something that no browser shows as a page", async () => {
  const feed = createTestFeed();
  await feed.push(buildNupkg(recipe));
  const response = await feed.get("/v3/package/acme.widgets/1.0.0-beta/acme.widgets.nuspec");
  expect(Object.fromEntries(response.headers)).toMatchObject({
    "content-disposition": 'attachment; filename="acme.widgets.nuspec"',
    "content-security-policy": "sandbox; default-src 'none'",
    "x-content-type-options": "nosniff",
  });
  const part = await feed.get("/v3/package/acme.widgets/1.0.0-beta/acme.widgets.nuspec", {
    range: "bytes=0-4",
  });
  expect([part.status, await part.text()]).toEqual([206, "<?xml"]);
});

const metadataOf = (xml: string) => Buffer.from(buildNuspec(xml));
const archive = (files: Record<string, Uint8Array | string>) =>
  sourceOf(buildNupkg({ id: "a", version: "1.0.0", files }));

test.each([
  ["a JPEG", "<icon>i.jpg</icon>", { "i.jpg": JPEG }, "image/jpeg"],
  ["a picture under a wrong name", "<icon>i.png</icon>", { "i.png": JPEG }, "image/jpeg"],
  ["another casing", "<icon>I.PNG</icon>", { "i.png": PNG }, "image/png"],
  ["a path from the root", "<icon>/img\\i.png</icon>", { "img/i.png": PNG }, "image/png"],
  ["a drawing that could hold scripts", "<icon>i.png</icon>", { "i.png": "<svg/>" }, undefined],
  ["a file that is not there", "<icon>i.png</icon>", {}, undefined],
  ["a path that climbs", "<icon>../i.png</icon>", { "i.png": PNG }, undefined],
  ["an empty element", "<icon/>", { "i.png": PNG }, undefined],
  [
    "a manifest that breaks rules",
    "<id>a</id><id>b</id><icon>i.png</icon>",
    { "i.png": PNG },
    "image/png",
  ],
])("reads the icon of a mirrored package: %s", async (_, metadata, files, expected) => {
  const embeddedFile = await readEmbeddedFile(archive(files), metadataOf(metadata), "icon");
  expect(embeddedFile?.contentType).toBe(expected);
});

test("reads a license in Markdown, and none from an expression", async () => {
  const files = { "LICENSE.md": "# Free", MIT: "not this" };
  const read = async (xml: string) => readEmbeddedFile(archive(files), metadataOf(xml), "license");
  expect(await read('<license type="file">LICENSE.md</license>')).toMatchObject({
    contentType: "text/markdown; charset=utf-8",
  });
  expect(await read('<license type="expression">MIT</license>')).toBeUndefined();
  expect(await read("<license>MIT</license>")).toBeUndefined();
});

test("refuses files that are too large to be shown", async () => {
  const source = archive({ "r.md": Buffer.alloc(1024 ** 2 + 1, "a") });
  const reading = readEmbeddedFile(source, metadataOf("<readme>r.md</readme>"), "readme");
  await expect(reading).rejects.toMatchObject({ code: "not-found" });
});

test("finds nothing by an invalid manifest", async () => {
  expect(await readEmbeddedFile(archive({}), Buffer.from("hello"), "icon")).toBeUndefined();
});
