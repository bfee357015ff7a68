import { randomBytes } from "node:crypto";
import { gunzipSync, gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import {
  buildPaxEntry,
  buildTarball,
  buildTarEntry,
  withChecksum,
} from "../testing/build-tarball.ts";
import type { TarEntryWish } from "../testing/build-tarball.ts";
import { inspectTarball, TARBALL_LIMITS } from "./inspect-tarball.ts";
import type { TarballLimits } from "./inspect-tarball.ts";

const packageJson = { path: "package/package.json", content: '{"name":"demo","version":"1.0.0"}' };

test("reads package.json, counts files and adds up their sizes", async () => {
  const inspected = await inspect(
    buildTarball({
      manifest: { scripts: { install: "x" } },
      files: { "lib/a.js": "12345", "lib/b.js": "", "big.bin": Buffer.alloc(200_000, "x") },
      entries: [{ path: "package/lib/", type: "5" }],
    }),
  );
  const text = JSON.stringify({ name: "demo", version: "1.0.0", scripts: { install: "x" } });
  expect(inspected).toEqual({
    packageJson: JSON.parse(text),
    caseTwins: [],
    fileCount: 4,
    unpackedSize: text.length + 200_005,
    hasShrinkwrap: false,
    hasBindingGyp: false,
    hasGyp: false,
  });
});

test("notices a shrinkwrap and a build file at the top, and only there", async () => {
  const top = buildTarball({ files: { "npm-shrinkwrap.json": "{}", "binding.gyp": "{}" } });
  const flags = { hasShrinkwrap: true, hasBindingGyp: true, hasGyp: true };
  expect(await inspect(top)).toMatchObject(flags);
  const deep = buildTarball({ files: { "a/npm-shrinkwrap.json": "{}", "a/binding.gyp": "{}" } });
  const none = { hasShrinkwrap: false, hasBindingGyp: false, hasGyp: false };
  expect(await inspect(deep)).toMatchObject(none);
});

test.each([
  ["another top folder", buildTarball({ top: "demo-1.0.0" })],
  ["a byte order mark", buildTarball({ packageJson: '\ufeff{"name":"demo"}' })],
  ["a long name in a pax header", archive(buildPaxEntry({ path: long("a") }), entry("package/x"))],
  ["a long name in a GNU header", archive(gnuName(long("b")), entry("package/x"))],
  ["a comment in a global header", archive(buildPaxEntry({ comment: "sha" }, "g"))],
  ["GNU padding", buildTarball({ pack: (tar) => gzipSync(Buffer.concat([tar, zeros(9000)])) })],
  ["a file name in the gzip header", withGzipName(buildTarball())],
  ["more than is unpacked at once", buildTarball({ files: { "a.js": Buffer.alloc(2 ** 20) } })],
  ["bytes that do not pack", buildTarball({ files: { "a.bin": randomBytes(100_000) } })],
])("takes a tarball with %s", async (_, file) => {
  expect((await inspect(file)).packageJson["name"]).toBe("demo");
});

test("takes files that differ only in letter case, and names the first of them", async () => {
  const files = { "README.md": "1", "readme.md": "2", "lib/A.js": "3", "Lib/a.js": "4", x: "5" };
  const packed = await inspect(buildTarball({ files }));
  expect(packed).toMatchObject({ fileCount: 6, unpackedSize: expect.any(Number) as number });
  expect(packed.caseTwins).toEqual(["package/readme.md", "package/Lib/a.js"]);
  const shrinkwraps = { "npm-shrinkwrap.json": "{}", "NPM-shrinkwrap.json": "{}" };
  await expectRefusal(buildTarball({ files: shrinkwraps }), "letter case aside");
  const many = Object.fromEntries(
    Array.from({ length: 20 }, (_, index) => [`${index % 2 ? "A" : "a"}${index >> 1}`, "x"]),
  );
  expect((await inspect(buildTarball({ files: many }))).caseTwins).toHaveLength(3);
});

const refusedEntries: readonly [string, TarEntryWish, string][] = [
  ["a step upwards", { path: "package/../../x" }, "leads out of the package"],
  ["an absolute path", { path: "/etc/passwd" }, "is absolute"],
  ["a symbolic link", { path: "package/l", type: "2", linkTo: "/etc" }, "a symbolic link"],
  ["a hard link", { path: "package/l", type: "1", linkTo: "/etc/hostname" }, "a hard link"],
  ["a FIFO", { path: "package/f", type: "6" }, "a FIFO"],
  ["a device", { path: "package/d", type: "3" }, "a device"],
  ["an unknown type", { path: "package/d", type: "Z" }, "unknown type"],
  ["a sparse file", { path: "package/s", type: "S" }, "a sparse file"],
  ["a directory with content", { path: "package/d", type: "5", size: 512 }, "with content"],
  ["a second package.json", packageJson, "twice"],
  ["a Package.JSON", { ...packageJson, path: "package/Package.JSON" }, "twice"],
  ["the same file again", { path: "package/index.js" }, "twice"],
  ["a second top folder", { path: "other/x" }, "two top folders"],
  ["a file at the root", { path: "x" }, "outside the top folder"],
  ["a backslash", { path: "package/..\\..\\x" }, "a backslash"],
  ["a control character", { path: "package/a\nb" }, "a control character"],
  ["an empty part", { path: "package//x" }, "an empty part"],
  ["a dot", { path: "package/./x" }, "an empty part"],
  ["a decomposed name", { path: "package/e\u0301" }, "normal form C"],
  ["a folder that is a file too", { path: "package/index.js/x" }, "makes a file a folder too"],
  ["package.json as a folder", { path: "package/Package.json/x" }, "makes a file a folder too"],
  ["a folder in a file's place", { path: "package/index.js/", type: "5" }, "a file a folder too"],
  ["a file with a slash at its end", { path: "package/x/" }, "an empty part"],
];

test.each(refusedEntries)("refuses %s", async (_, bad, reason) => {
  await expectRefusal(buildTarball({ entries: [bad] }), reason);
});

test.each([
  ["no gzip", buildTarball({ pack: (tar) => tar }), "is not gzip"],
  ["nothing", Buffer.alloc(0), "no complete gzip header"],
  ["half a file", buildTarball({ files: { a: noise(9999) } }).subarray(0, 5000), "damaged"],
  ["no last byte", buildTarball().subarray(0, -1), "is cut off"],
  ["garbage behind gzip", Buffer.concat([buildTarball(), Buffer.from("x")]), "behind its gzip"],
  ["zeros behind gzip", Buffer.concat([buildTarball(), zeros(512)]), "behind its gzip data"],
  ["two gzip members", Buffer.concat([buildTarball(), gzipSync("x")]), "behind its gzip data"],
  ["a wrong checksum", flipped(buildTarball(), -8), "gzip checksum is wrong"],
  ["a wrong length", flipped(buildTarball(), -4), "gzip checksum is wrong"],
  ["an empty tar", gzipSync(zeros(1024)), "no package.json"],
  ["an empty gzip", gzipSync(""), "no package.json"],
  ["no tar", gzipSync(noise(2000)), "tar"],
  ["no package.json", buildTarball({ packageJson: false }), "no package.json"],
  ["a deeper package.json only", deepPackageJson(), "no package.json"],
  ["a broken package.json", buildTarball({ packageJson: "{" }), "not valid JSON"],
  ["a package.json that is a list", buildTarball({ packageJson: "[]" }), "not a JSON object"],
  ["scripts twice", buildTarball({ packageJson: '{"scripts":{},"scripts":{}}' }), "twice"],
  ["an escaped twin", buildTarball({ packageJson: '{"bin":"a","b\\u0069n" : "b"}' }), "twice"],
  ["a bottomless package.json", buildTarball({ packageJson: `{"a":${nested(64)}}` }), "64 levels"],
  [
    "a bottomless list",
    buildTarball({ packageJson: `{"scripts":${nested(900_000)}}` }),
    "64 levels",
  ],
  ["a prototype", buildTarball({ packageJson: '{"a":[{"__proto__":{}}]}' }), '"__proto__"'],
  ["an escaped prototype", buildTarball({ packageJson: '{"\\u005f_proto_\\u005F":1}' }), "_proto_"],
  ["a path that is said twice", archive(twicePax(), entry("package/x")), "one thing twice"],
  ["a script twice", buildTarball({ packageJson: '{"scripts":{"a":"1","a":"2"}}' }), "twice"],
  ["a wrong header checksum", gzipSync(brokenHeader()), "checksum is wrong"],
  ["a cut entry", gzipSync(buildTarEntry({ path: "package/a", size: 4096 })), "is cut off"],
  ["a cut header", gzipSync(buildTarEntry(packageJson).subarray(0, 100)), "is cut off"],
  ["entries behind the end", entriesBehindEnd(), "behind the end"],
  ["a global path", archive(buildPaxEntry({ path: "package/y" }, "g")), "global header"],
  ["a sparse pax file", archive(buildPaxEntry({ "GNU.sparse.major": "1" })), "sparse"],
  ["a broken pax header", archive(entry("p", "x", "99 path=a\n")), "broken pax"],
  [
    "two long names",
    archive(gnuName("package/a"), buildPaxEntry({ path: "package/b" })),
    "two long",
  ],
  [
    "a hidden step upwards",
    archive(buildPaxEntry({ path: "package/../x" }), entry("package/x")),
    "leads out",
  ],
  [
    "a name without a file",
    archive(buildPaxEntry({ path: "package/a" })),
    "long name that belongs to no file",
  ],
  ["a huge size", archive(hugeEntry()), "cut off"],
  [
    "a path over 1,024 bytes",
    archive(gnuName(`package/${"a/".repeat(600)}x`), entry("x")),
    "longer",
  ],
  ["a part over 255 bytes", archive(gnuName(`package/${"a".repeat(256)}`), entry("x")), "longer"],
])("refuses %s", async (_, file, reason) => {
  await expectRefusal(file, reason);
});

test.each<[string, Partial<TarballLimits>, string, Readonly<Record<string, string>>?]>([
  ["too many entries", { entries: 1 }, "more than 1 entries"],
  ["too many folders", { entries: 3 }, "more than 3 folders", { "b/c/d/e": "" }],
  ["too many extensions", { extensionBytes: 500 }, "too many tar header extensions"],
  ["too long paths together", { pathBytes: 20 }, "too long together"],
  ["too much unpacked", { unpackedBytes: 1000 }, "unpacks to more than"],
  ["a bomb", { ratioFromBytes: 1000, ratio: 2 }, "2 times its size"],
  ["a large package.json", { packageJsonBytes: 10 }, "package.json over"],
])("refuses %s", async (_, limit, reason, more = {}) => {
  const files = { a: "x".repeat(2000), ...more };
  const extended = gzipSync(
    Buffer.concat([buildPaxEntry({ comment: "x" }), gunzipSync(buildTarball({ files }))]),
  );
  await expectRefusal(extended, reason, { ...TARBALL_LIMITS, ...limit });
});

test("reads the same from chunks of any size", async () => {
  const file = buildTarball({ files: { a: noise(3000), "b/c": "x" } });
  const whole = await inspect(file);
  for (const size of [1, 7, 511, 512, 513, 1000]) {
    expect(await inspectTarball(cut(file, size), file.length)).toEqual(whole);
  }
});

test("passes on what reading the file throws", async () => {
  const broken = async function* () {
    yield buildTarball().subarray(0, 20);
    throw new Error("disk on fire");
  };
  await expect(inspectTarball(broken(), 1000)).rejects.toThrow("disk on fire");
});

function inspect(file: Buffer, limits = TARBALL_LIMITS) {
  return inspectTarball(cut(file, 64 * 1024), file.length, limits);
}

async function expectRefusal(file: Buffer, reason: string, limits = TARBALL_LIMITS) {
  await expect(inspect(file, limits)).rejects.toMatchObject({
    code: "tarball-refused",
    status: 422,
    message: expect.stringMatching(new RegExp(reason)),
  });
}

async function* cut(file: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let index = 0; index < file.length; index += size) yield file.subarray(index, index + size);
}

/** A good package with these blocks at its end. */
function archive(...blocks: readonly Buffer[]): Buffer {
  return gzipSync(Buffer.concat([buildTarEntry(packageJson), ...blocks, zeros(1024)]));
}

function entry(path: string, type = "0", content = ""): Buffer {
  return buildTarEntry({ path, type, content });
}

function nested(levels: number): string {
  return "[".repeat(levels) + "]".repeat(levels);
}

function twicePax(): Buffer {
  return entry("PaxHeader", "x", "18 path=package/y\n18 path=package/z\n");
}

function gnuName(path: string): Buffer {
  return buildTarEntry({ path: "././@LongLink", type: "L", content: `${path}\0` });
}

function long(letter: string): string {
  return `package/${letter.repeat(200)}/${letter.repeat(200)}`;
}

function entriesBehindEnd(): Buffer {
  const more = buildTarEntry({ path: "package/late.js", content: "x" });
  return gzipSync(Buffer.concat([buildTarEntry(packageJson), zeros(1024), more, zeros(1024)]));
}

function deepPackageJson(): Buffer {
  return buildTarball({ packageJson: false, files: { "deep/package.json": "{}" } });
}

function brokenHeader(): Buffer {
  const block = buildTarEntry(packageJson);
  block.write("x", 0);
  return block;
}

/** 2^40 bytes, as a base-256 number. */
function hugeEntry(): Buffer {
  const block = buildTarEntry({ path: "package/huge" });
  Buffer.from("800000000000010000000000", "hex").copy(block, 124);
  return withChecksum(block.subarray(0, 512));
}

function withGzipName(file: Buffer): Buffer {
  const head = Buffer.from(file.subarray(0, 10));
  head.writeUInt8(8, 3);
  return Buffer.concat([head, Buffer.from("demo.tar\0"), file.subarray(10)]);
}

function flipped(file: Buffer, offset: number): Buffer {
  const copy = Buffer.from(file);
  copy.writeUInt8(copy.readUInt8(copy.length + offset) ^ 1, copy.length + offset);
  return copy;
}

function zeros(size: number): Buffer {
  return Buffer.alloc(size);
}

/** Bytes that do not pack, the same in every run. */
function noise(size: number): Buffer {
  let state = 1;
  return Buffer.from(
    Array.from({ length: size }, () => (state = (state * 48_271) % 2_147_483_647) & 0xff),
  );
}
