import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { readArchive } from "../archive/archive.ts";
import { contentHash } from "./content-hash.ts";
import { packageBytesOf } from "../archive/package-bytes.ts";
import { ArchiveError, SignatureError, SigningError } from "../errors.ts";
import { bytesOf } from "../testing/sign-as-author.ts";
import { buildTestArchive } from "@sealhouse/zip-archive/testing";
import { buildTestPackage } from "../testing/test-package.ts";
import { planInsert, planRemove, planReplace } from "./edit-signature.ts";
import { decodePlan, encodePlan } from "./plan-codec.ts";
import type { SplicePlan } from "./splice-plan.ts";
import { spliced, splicedSize } from "./splice-plan.ts";

const folder = new URL("../../../../vectors/nuget-signatures/packages/", import.meta.url);
const vector = (name: string) => readFileSync(new URL(`${name}.nupkg`, folder));
const time = new Date("2026-11-21T10:20:30Z");
const signature = Buffer.alloc(3000, 0x5a);

async function apply(bytes: Uint8Array, plan: SplicePlan): Promise<Buffer> {
  return bytesOf(spliced(packageBytesOf(bytes), plan));
}

async function insertInto(bytes: Uint8Array): Promise<SplicePlan> {
  return planInsert(await readArchive(packageBytesOf(bytes)), signature, time);
}

test.each([
  ["a package", buildTestPackage("A", "1.0.0")],
  ["a package with a comment", buildTestPackage("A", "1.0.0", { odd: { comment: "hi" } })],
  [
    "a package written as a stream",
    buildTestPackage("A", "1.0.0", { files: [{ name: "s", data: "x", dataDescriptor: true }] }),
  ],
])("%s comes back byte for byte when its signature is taken out again", async (_what, bytes) => {
  const signed = await apply(bytes, await insertInto(bytes));
  expect(signed.length).toBe(bytes.length + 30 + 14 + signature.length + 46 + 14);
  const removed = await apply(signed, planRemove(await readArchive(packageBytesOf(signed))));
  expect(removed.equals(bytes)).toBe(true);
});

test.each(["repo", "repo-ts", "repo-512", "sigfirst", "author", "author-counter-ts", "nuget-repo"])(
  "taking the signature out of %s gives the package that was signed",
  async (name) => {
    const bytes = vector(name);
    const plan = planRemove(await readArchive(packageBytesOf(bytes)));
    expect((await apply(bytes, plan)).equals(vector("unsigned"))).toBe(true);
    const original = await contentHash(packageBytesOf(vector("unsigned")), "SHA512");
    expect(await contentHash(packageBytesOf(bytes), "SHA512")).toEqual(original);
  },
);

test("replacing a signature changes no other entry", async () => {
  const bytes = vector("sigfirst");
  const plan = planReplace(await readArchive(packageBytesOf(bytes)), signature, time);
  const replaced = await apply(bytes, plan);
  const removed = await apply(replaced, planRemove(await readArchive(packageBytesOf(replaced))));
  expect(removed.equals(vector("unsigned"))).toBe(true);
});

test("any range of a spliced file is the same as of the whole", async () => {
  const bytes = buildTestArchive([{ name: "a", data: "b" }]);
  const file = spliced(packageBytesOf(bytes), await insertInto(bytes));
  const whole = await bytesOf(file);
  expect(whole.length).toBe(file.size);
  for (let start = 0; start < file.size; start += 97) {
    for (let end = start; end < file.size; end += 131) {
      const part: Uint8Array[] = [];
      for await (const chunk of file.read({ start, end })) part.push(chunk);
      expect(Buffer.concat(part).equals(whole.subarray(start, end + 1))).toBe(true);
    }
  }
  for (const range of [
    { start: -1, end: 3 },
    { start: 4, end: 3 },
    { start: 0, end: file.size },
  ]) {
    expect(() => file.read(range)).toThrow(RangeError);
  }
});

test("a download that reuses memory lets the stored file reuse it, too", async () => {
  const bytes = vector("unsigned");
  const options: unknown[] = [];
  const source = {
    ...packageBytesOf(bytes),
    read: (range?: { readonly start: number; readonly end: number }, how?: object) => {
      options.push(how);
      return packageBytesOf(bytes).read(range);
    },
  };
  const signed = spliced(source, await insertInto(bytes));
  await Array.fromAsync(signed.read(undefined, { reuse: true }));
  expect(options.length).toBeGreaterThan(1);
  expect(options.every((how) => JSON.stringify(how) === '{"reuse":true}')).toBe(true);
});

test("a plan keeps references, not the package", async () => {
  const bytes = buildTestPackage("Large", "1.0.0", {
    files: [{ name: "large.bin", data: Buffer.alloc(1_000_000, 7), stored: true }],
  });
  expect(encodePlan(await insertInto(bytes)).length).toBeLessThan(signature.length + 300);
});

test("a stored plan is the plan that was stored", async () => {
  const plan = await insertInto(vector("unsigned"));
  const back = decodePlan(encodePlan(plan));
  expect(splicedSize(back)).toBe(splicedSize(plan));
  expect(
    (await apply(vector("unsigned"), back)).equals(await apply(vector("unsigned"), plan)),
  ).toBe(true);
});

const stored = encodePlan({
  sourceSize: 1000,
  pieces: [
    { kind: "range", start: 0, end: 900 },
    { kind: "inline", bytes: Buffer.from("signature") },
  ],
});
const text = Buffer.from("SHSP\u0001", "latin1");

test.each([
  ["nothing", new Uint8Array()],
  ["another version", Buffer.from(stored).fill(2, 4, 5)],
  ["a missing end", stored.subarray(0, -1)],
  ["surplus bytes", Buffer.concat([stored, Uint8Array.of(0)])],
  ["a range outside the file", Buffer.concat([text, Uint8Array.of(10, 1, 0, 5, 6)])],
  ["an empty range", Buffer.concat([text, Uint8Array.of(10, 1, 0, 5, 0)])],
  ["a piece of an unknown kind", Buffer.concat([text, Uint8Array.of(10, 1, 2, 5, 1)])],
  ["too many pieces", Buffer.concat([text, Uint8Array.of(10, 0xff, 0xff, 0xff, 0x7f)])],
  ["an endless number", Buffer.concat([text, Buffer.alloc(12, 0xff)])],
])("a stored plan with %s is refused", (_what, bytes) => {
  expect(() => decodePlan(bytes)).toThrow(SigningError);
});

test("a plan is not used on a file of another size", async () => {
  const plan = await insertInto(vector("unsigned"));
  expect(() => spliced(packageBytesOf(vector("repo")), plan)).toThrow(RangeError);
});

test("a package that cannot be verified afterwards gets no plan", async () => {
  const prefixed = buildTestArchive([{ name: "a", data: "b" }], { prefix: Buffer.from("MZ") });
  await expect(insertInto(prefixed)).rejects.toThrow(ArchiveError);
  await expect(insertInto(vector("repo"))).rejects.toThrow(SignatureError);
  const archive = await readArchive(packageBytesOf(vector("unsigned")));
  expect(() => planRemove(archive)).toThrow(SignatureError);
});

test("a package with 65,533 entries has room for a signature, and no larger one", async () => {
  const packageOf = (count: number) =>
    buildTestArchive(
      Array.from({ length: count }, (_, index) => ({
        name: `f${index}`,
        data: "",
        // A compressor for each file takes most of the time.
        stored: true,
      })),
    );
  const bytes = packageOf(65_533);
  const signed = await apply(bytes, await insertInto(bytes));
  const archive = await readArchive(packageBytesOf(signed));
  expect(archive.entries).toHaveLength(65_534);
  expect((await apply(signed, planRemove(archive))).equals(bytes)).toBe(true);
  const failure = await insertInto(packageOf(65_534)).catch((error: unknown) => error);
  expect(failure).toMatchObject({ problem: "no-room", nugetCode: "NU3039" });
});
