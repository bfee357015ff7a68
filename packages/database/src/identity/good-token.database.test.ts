import { createTestToken } from "@sealhouse/identity/testing";
import { describe, expect, test } from "vitest";
import { parseDigest, parseRepositoryName } from "@sealhouse/oci-distribution";
import { openTestDatabase, testableDatabases } from "../testing/index.ts";

const REPOSITORY = parseRepositoryName("team/app");
const DIGEST = parseDigest(`sha256:${"a".repeat(64)}`);
const HOUR_MS = 60 * 60_000;

describe.each(testableDatabases())("on %s", (type) => {
  test("an invalid token changes nothing", async () => {
    let now = new Date();
    await using database = await openTestDatabase({ type, now: () => now });
    const expiresAt = new Date(now.getTime() + HOUR_MS);
    const tokens = ["expires", "revoked", "good"].map(
      (name) => createTestToken({ name, ...(name === "expires" && { expiresAt }) }).record,
    );
    for (const record of tokens) await database.tokens.insert(record, { actor: "system" });
    const [expiring, revoked, good] = tokens.map(({ id }) => ({ actor: "ci", tokenId: id }));
    const link = (caller: { readonly actor: string; readonly tokenId?: string }) =>
      database.oci.blobs.link(REPOSITORY, { digest: DIGEST, key: "k", size: 1 }, caller);
    if (!expiring || !revoked || !good) throw new Error("tokens are missing");
    await Promise.all([link(expiring), link(revoked), link(good), link({ actor: "anonymous" })]);
    await database.oci.blobs.unlink(REPOSITORY, DIGEST, good);

    await database.tokens.revoke(revoked.tokenId, now, { actor: "system" });
    now = new Date(expiresAt.getTime());
    await expect(link(revoked)).rejects.toMatchObject({ reason: "revoked" });
    await expect(link(expiring)).rejects.toMatchObject({ reason: "expired" });
    const unknown = { actor: "ci", tokenId: "of-nobody" };
    await expect(link(unknown)).rejects.toMatchObject({ name: "TokenEndedError" });
    expect(await database.oci.blobs.find(REPOSITORY, DIGEST)).toBeUndefined();
    await link(good);
    expect(await database.oci.blobs.find(REPOSITORY, DIGEST)).toBeDefined();
  });

  test("an invalid token adds no bytes to its uploads", async () => {
    await using database = await openTestDatabase({ type });
    const { record } = createTestToken();
    await database.tokens.insert(record, { actor: "system" });
    const { uploads } = database.oci;
    const begun = { repository: REPOSITORY, owner: record.id, offset: 0 };
    const claim = { writer: "w", leaseMs: HOUR_MS };
    await uploads.create({ ...begun, id: "1" }, claim);
    expect(await uploads.advance("1", "w", 10)).toBe(true);
    await database.tokens.revoke(record.id, new Date(), { actor: "system" });
    const ended = { name: "TokenEndedError" };
    await expect(uploads.advance("1", "w", 20)).rejects.toMatchObject(ended);
    await expect(uploads.advance("1", "w", 20, { last: true })).rejects.toMatchObject(ended);
    const small = { ...begun, id: "2", offset: 1, bytes: Buffer.from("x") };
    await expect(uploads.create(small)).rejects.toMatchObject(ended);
    expect(await uploads.find("1")).toMatchObject({ offset: 10 });
    expect(await uploads.find("2")).toBeUndefined();
    await uploads.create({ ...small, owner: "anonymous" });
    expect(await uploads.find("2")).toBeDefined();
  });
});
