import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { contentHash } from "../splice/content-hash.ts";
import { packageBytesOf } from "../archive/package-bytes.ts";
import { readSignature } from "./read-signature.ts";
import { spliced } from "../splice/splice-plan.ts";
import { stripRepositorySignatures } from "./strip-signature.ts";
import { bytesOf } from "../testing/sign-as-author.ts";
import { verifyPackage } from "../verify/verify-package.ts";

const folder = new URL("../../../../vectors/nuget-signatures/packages/", import.meta.url);
const vector = (name: string) => packageBytesOf(readFileSync(new URL(`${name}.nupkg`, folder)));
const now = new Date("2026-11-21T12:00:00Z");

test.each(["repo", "repo-ts", "nuget-repo", "sigfirst"])(
  "%s without the repository's signature is the package that was signed",
  async (name) => {
    const plan = await stripRepositorySignatures(vector(name), now);
    if (!plan) throw new Error("nothing was stripped");
    const stripped = await bytesOf(spliced(vector(name), plan));
    expect(stripped.equals(await bytesOf(vector("unsigned")))).toBe(true);
  },
);

test.each(["author-counter", "author-counter-ts", "nuget-counter"])(
  "%s without the countersignature is the author's, with its timestamp",
  async (name) => {
    const plan = await stripRepositorySignatures(vector(name), now);
    if (!plan) throw new Error("nothing was stripped");
    const stripped = spliced(vector(name), plan);
    const [before, after] = await Promise.all([
      readSignature(vector(name)),
      readSignature(stripped),
    ]);
    if (before.kind === "none" || after.kind === "none") throw new Error("a signature is missing");
    expect(after).toMatchObject({ kind: "author", countersignature: undefined });
    expect(after.signer).toEqual(before.signer);
    expect(after.signer.timestamps).toHaveLength(1);
    expect(await contentHash(stripped, "SHA512")).toEqual(
      await contentHash(vector(name), "SHA512"),
    );
    const trust = { roots: "any", timestampRoots: "any" } as const;
    expect(await verifyPackage(stripped, { ...trust, now })).toMatchObject({
      valid: true,
      issues: [],
    });
  },
);

test.each(["unsigned", "author", "untyped", "strip-author-counter"])(
  "%s has nothing to strip",
  async (name) => {
    expect(await stripRepositorySignatures(vector(name), now)).toBeUndefined();
  },
);
