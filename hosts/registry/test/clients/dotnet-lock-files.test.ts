import { createHash, X509Certificate } from "node:crypto";
import { cp, readFile, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { packageBytesOf, readSignature } from "@sealhouse/repo-signing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeServerCertificate } from "./certificate-authority.ts";
import { hasClient, openFolder } from "./client.ts";
import type { ServerCertificate, SignedFeed } from "./signed-feed.ts";
import { openSignedFeed } from "./signed-feed.ts";

const OLD = { id: "Acme.Locked", version: "1.0.0" } as const;
const NEW = { id: "Acme.Later", version: "1.0.0" } as const;
/** Signatures here have no timestamp, which NU3027 reports. */
const UNEXPECTED = /NU(?!3027)\d{4}/;

/** The life of one feed, told in order; the same lock file all the time. */
describe.skipIf(!hasClient("dotnet"))("a lock file outlives what happens to signatures", () => {
  const cleanUp = new AsyncDisposableStack();
  let data: string;
  let tls: ServerCertificate;
  /** A project that was restored when nothing was signed yet. */
  let project: string;
  let locked: string;
  let contentHash: string;

  beforeAll(async () => {
    data = cleanUp.use(await openFolder()).path;
    tls = await makeServerCertificate(data);
    await using feed = await openSignedFeed({ tls, data, env: { Signing__Mode: "" } });
    contentHash = createHash("sha512")
      .update(await feed.put(OLD.id))
      .digest("base64");
    const client = await feed.client();
    const restored = join(client.folder, basename(await client.consumer(OLD)));
    const { code, output } = await client.run(["restore", "--use-lock-file"], restored);
    expect(output).not.toMatch(/NU\d{4}/);
    expect(code).toBe(0);
    project = join(data, "project");
    await cp(restored, project, { recursive: true });
    await rm(join(project, "obj"), { recursive: true });
    locked = await readFile(join(project, "packages.lock.json"), "utf8");
    expect(locked).toContain(contentHash);
  }, 120_000);
  afterAll(() => cleanUp.disposeAsync());

  /** Restores in locked mode with empty caches; resolves to the fingerprint of who signed. */
  async function restoreLocked(feed: SignedFeed): Promise<string> {
    const client = await feed.client({ dotnet: await feed.trustingDotnet() });
    const copy = join(client.folder, "locked");
    await cp(project, copy, { recursive: true });
    const { code, output } = await client.run(["restore", "--locked-mode"], copy);
    expect(output).not.toMatch(UNEXPECTED);
    expect(code).toBe(0);
    expect(await readFile(join(copy, "packages.lock.json"), "utf8")).toBe(locked);
    const path = join(client.folder, "packages", "acme.locked", "1.0.0");
    return signerOf(await readFile(join(path, "acme.locked.1.0.0.nupkg")));
  }

  let first: string;
  let second: string;

  test("signing that is turned on later", async () => {
    await using feed = await openSignedFeed({ tls, data });
    // Signs it, so that there is a certificate to trust.
    await feed.served(OLD.id);
    first = await restoreLocked(feed);
    expect(await fingerprints(feed)).toEqual([first]);
  });

  test("packages of the old certificate stay unchanged after a rotation", async () => {
    await using feed = await openSignedFeed({ tls, data, before: ["signing", "rotate", "--now"] });
    await feed.put(NEW.id);
    second = await signerOf(await readFile(await feed.served(NEW.id)));
    expect(second).not.toBe(first);
    expect(new Set(await fingerprints(feed))).toEqual(new Set([first, second]));
    expect(await restoreLocked(feed)).toBe(first);
    await verifyBoth(feed);
  });

  test("signing again, and the end of the old certificate", async () => {
    await using feed = await openSignedFeed({ tls, data });
    expect(await feed.host.cli("signing", "resign")).toMatchObject({ code: 0 });
    expect(await restoreLocked(feed)).toBe(second);
    expect(await feed.host.cli("signing", "retire", first)).toMatchObject({ code: 0 });
    expect(await fingerprints(feed)).toEqual([second]);
    await verifyBoth(feed);
  });

  /** With a client that trusts whatever is on the feed's list. */
  async function verifyBoth(feed: SignedFeed): Promise<void> {
    const client = await feed.client({ dotnet: await feed.trustingDotnet() });
    const paths = [await feed.served(OLD.id), await feed.served(NEW.id)];
    const verified = await client.run(["nuget", "verify", "--all", ...paths]);
    expect(verified.output).toContain(contentHash);
    expect(verified.output).not.toMatch(UNEXPECTED);
    expect(verified.code).toBe(0);
  }
});

async function fingerprints(feed: SignedFeed): Promise<readonly string[]> {
  return (await feed.certificates()).map(fingerprintOf);
}

function fingerprintOf(der: Uint8Array): string {
  return new X509Certificate(der).fingerprint256.replaceAll(":", "").toLowerCase();
}

async function signerOf(nupkg: Uint8Array): Promise<string> {
  const signature = await readSignature(packageBytesOf(nupkg));
  const fingerprint = signature.kind === "none" ? undefined : signature.signer.fingerprint;
  if (fingerprint === undefined) throw new Error("The package is not signed.");
  return fingerprint;
}
