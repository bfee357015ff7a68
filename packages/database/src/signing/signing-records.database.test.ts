import type { Seal } from "@sealhouse/nuget-protocol";
import { newPackage, testCaller } from "@sealhouse/nuget-protocol/testing";
import { afterAll, describe, expect, test } from "vitest";
import type { Database } from "../database.ts";
import { RetiredCertificateError } from "../errors.ts";
import { openTestDatabase, leaveTestServers, testableDatabases } from "../testing/index.ts";

const AT = new Date("2026-06-01T12:00:00.123Z");
const [OLD, NEW] = ["aa".repeat(32), "bb".repeat(32)];
const DIGESTS = { sha256: "cd".repeat(32), sha512: `${"A".repeat(86)}==` };
const NAMED = { id: "Acme.Widgets", version: "1.0.0-Beta" };

describe.each(testableDatabases())("%s", (type) => {
  const open = () => openTestDatabase({ type, now: () => AT, advertiseAllRepositorySigned: true });

  test("a replaced signature enters the history with its known digests", async () => {
    await using database = await open();
    const { nuget } = database;
    const [first, second, third] = [sealBy(OLD, 1), sealBy(OLD, 2), sealBy(NEW, 3)];
    const file = await published(database, NAMED, first);
    const stored = await nuget.lookup.find("acme.widgets", "1.0.0-beta");
    if (!stored) throw new Error("nothing was recorded");
    await nuget.digests.keep(stored, { type: "signed", seal: first, digests: DIGESTS });
    expect(await nuget.seals.replace(file, { seen: first, seal: second })).toBe("replaced");
    expect(await nuget.seals.replace(file, { seen: second, seal: third })).toBe("replaced");

    expect((await nuget.lookup.find("acme.widgets", "1.0.0-beta"))?.seal).toEqual(third);
    const provenance = await nuget.provenance.find("acme.widgets", "1.0.0-beta");
    expect(provenance).toMatchObject({ received: { sha256: file.sha256 } });
    expect(provenance?.signed).toEqual([
      { ...signedBy(first), replacedAt: AT, digests: DIGESTS },
      { ...signedBy(second), replacedAt: AT, digests: undefined },
      { ...signedBy(third), replacedAt: undefined, digests: undefined },
    ]);

    // Also those that are history can be found out later.
    const left = await nuget.digests.unhashed("acme.widgets", "1.0.0-beta");
    expect(left?.seals).toEqual([second, third]);
    const later = { ...DIGESTS, sha256: "ef".repeat(32) };
    await nuget.digests.keep(stored, { type: "signed", seal: second, digests: later });
    await nuget.digests.keep(stored, { type: "signed", seal: third, digests: DIGESTS });
    const laterProvenance = await nuget.provenance.find("acme.widgets", "1.0.0-beta");
    expect(laterProvenance?.signed.map(({ digests }) => digests)).toEqual([
      DIGESTS,
      later,
      DIGESTS,
    ]);
    expect((await nuget.digests.unhashed("acme.widgets", "1.0.0-beta"))?.seals).toEqual([]);

    const events = await database.events.outbox.pending("test", 10);
    const subject = "nuget/Acme.Widgets@1.0.0-Beta";
    const { sha256: servedSha256 } = DIGESTS;
    expect(events.slice(1)).toMatchObject([
      { type: "package.hashed", subject, detail: { signedBy: OLD, servedSha256 } },
      { type: "package.signed", subject, detail: { signedBy: OLD, signedBefore: OLD } },
      { type: "package.signed", subject, detail: { signedBy: NEW, signedBefore: OLD } },
      { type: "package.hashed", subject, detail: { signedBy: OLD, servedSha256: later.sha256 } },
      { type: "package.hashed", subject, detail: { signedBy: NEW, servedSha256 } },
    ]);

    // A repeated computation changes nothing, and writes no event.
    await nuget.digests.keep(stored, { type: "signed", seal: third, digests: DIGESTS });
    expect(await database.events.outbox.pending("test", 10)).toHaveLength(events.length);
  });

  test("replaces a signature only if it has not changed", async () => {
    await using database = await open();
    const { nuget } = database;
    const first = sealBy(OLD, 1);
    const file = await published(database, NAMED, first);
    const seals = [2, 3, 4, 5].map((byte) => sealBy(NEW, byte));
    const outcomes = await Promise.all(
      seals.map((seal) => nuget.seals.replace(file, { seen: first, seal })),
    );
    expect(outcomes.toSorted()).toEqual(["changed", "changed", "changed", "replaced"]);
    const winner = seals[outcomes.indexOf("replaced")];
    expect((await nuget.lookup.find("acme.widgets", "1.0.0-beta"))?.seal).toEqual(winner);
    expect((await nuget.provenance.find("acme.widgets", "1.0.0-beta"))?.signed).toHaveLength(2);

    const change = { seen: winner ?? first, seal: sealBy(NEW, 6) };
    const elsewhere = { ...file, sha256: "00".repeat(32) };
    expect(await nuget.seals.replace(elsewhere, change)).toBe("changed");
    await nuget.lifecycle.delete("acme.widgets", "1.0.0-beta", testCaller);
    expect(await nuget.seals.replace(file, change)).toBe("changed");
  });

  test("deleting or overwriting a version deletes its history", async () => {
    await using database = await open();
    const { nuget } = database;
    const [first, second] = [sealBy(OLD, 1), sealBy(NEW, 2)];
    const file = await published(database, NAMED, first);
    await nuget.seals.replace(file, { seen: first, seal: second });
    const sha256 = "12".repeat(32);
    const blob = { key: `nuget/blobs/sha256/12/${sha256}.1`, size: 9, sha256 };
    const next = newPackage(NAMED, { blob, seal: second });
    await nuget.recorder.record(next, testCaller, { overwrite: true });
    const provenance = await nuget.provenance.find("acme.widgets", "1.0.0-beta");
    expect(provenance?.signed).toEqual([
      { ...signedBy(second), replacedAt: undefined, digests: undefined },
    ]);
    const third = sealBy(NEW, 3);
    await nuget.seals.replace({ ...NAMED, sha256 }, { seen: second, seal: third });
    expect(await nuget.lifecycle.delete("acme.widgets", "1.0.0-beta", testCaller)).toBe("deleted");
    expect(await nuget.provenance.find("acme.widgets", "1.0.0-beta")).toBeUndefined();
  });

  test("returns signed versions in batches by certificate", async () => {
    await using database = await open();
    const { seals } = database.nuget;
    for (let patch = 0; patch < 5; patch++) {
      const seal = sealBy(patch % 2 === 0 ? OLD : NEW, patch);
      await published(database, { id: "Acme", version: `1.0.${patch}` }, seal);
    }
    await published(database, { id: "Acme", version: "2.0.0" });
    expect(await seals.counts()).toEqual(
      new Map([
        [OLD, 3],
        [NEW, 2],
      ]),
    );
    expect([await seals.count({ by: OLD }), await seals.count({ notBy: OLD })]).toEqual([3, 2]);
    const page = await seals.sealed({ by: OLD }, { after: 0, limit: 2 });
    expect(page.map(({ version }) => version)).toEqual(["1.0.0", "1.0.2"]);
    const { cursor = 0, seal } = page[1] ?? {};
    expect(seal).toEqual(sealBy(OLD, 2));
    const rest = await seals.sealed({ by: OLD }, { after: cursor, limit: 2 });
    expect(rest.map(({ version }) => version)).toEqual(["1.0.4"]);
    const others = await seals.sealed({ notBy: OLD }, { after: 0, limit: 10 });
    expect(others.map(({ version }) => version)).toEqual(["1.0.1", "1.0.3"]);
  });

  test("lists a prepared certificate before its first use", async () => {
    await using database = await open();
    const { certificates, nuget } = database;
    const [soon, later] = [1, 2].map((hours) => new Date(AT.getTime() + hours * 3_600_000));
    if (!soon || !later) throw new Error("no times");
    await certificates.used(certificate(OLD), AT);
    const announced = await Promise.all(
      [1, 2, 3].map(() => certificates.announce(certificate(NEW), { at: AT, signsFrom: later })),
    );
    const record = { listedAt: AT, firstUsedAt: later, lastUsedAt: later, active: true };
    expect(announced).toEqual([1, 2, 3].map(() => ({ ...certificate(NEW), ...record })));
    expect((await nuget.certificates.all()).map(({ fingerprint }) => fingerprint)).toEqual([
      OLD,
      NEW,
    ]);
    // A later wish changes nothing, an earlier one does.
    const again = { at: soon, signsFrom: new Date(later.getTime() + 1) };
    expect((await certificates.announce(certificate(NEW), again)).firstUsedAt).toEqual(later);
    await certificates.announce(certificate(NEW), { at: AT, signsFrom: soon });
    expect(await certificates.find(NEW)).toMatchObject({ listedAt: AT, firstUsedAt: soon });
    await certificates.used(certificate(NEW), AT);
    expect(await certificates.find(NEW)).toMatchObject({ firstUsedAt: AT, lastUsedAt: AT });
    await certificates.used(certificate(NEW), later);
    expect(await certificates.find(NEW)).toMatchObject({ firstUsedAt: AT, lastUsedAt: later });
    const events = await database.events.outbox.pending("test", 10);
    expect(
      events.filter(({ type: eventType }) => eventType === "certificate.created"),
    ).toHaveLength(2);
  });

  test("retires an unused certificate once", async () => {
    await using database = await open();
    const { certificates, nuget } = database;
    await certificates.used(certificate(OLD), AT);
    await certificates.used(certificate(NEW), AT);
    const first = sealBy(OLD, 1);
    const file = await published(database, NAMED, first);
    expect(await nuget.certificates.allRepositorySigned()).toBe(true);
    const retire = () => certificates.retire(OLD, { actor: "test" });
    expect(await retire()).toEqual({ status: "in-use", versions: 1 });
    expect((await certificates.find(OLD))?.active).toBe(true);
    await nuget.seals.replace(file, { seen: first, seal: sealBy(NEW, 2) });
    expect(await retire()).toEqual({ status: "retired" });
    expect(await retire()).toEqual({ status: "unchanged" });
    expect(await certificates.retire("cc".repeat(32), { actor: "test" })).toEqual({
      status: "absent",
    });
    expect((await certificates.find(OLD))?.active).toBe(false);
    expect((await nuget.certificates.all()).map(({ fingerprint }) => fingerprint)).toEqual([NEW]);
    expect(await nuget.certificates.find(OLD)).toMatchObject({ der: certificate(OLD).der });
    expect(await nuget.certificates.allRepositorySigned()).toBe(true);
    const events = await database.events.outbox.pending("test", 10);
    expect(events.at(-1)).toMatchObject({
      type: "certificate.retired",
      subject: `certificate/${OLD}`,
      caller: { actor: "test" },
    });
  });

  test("rejects every signature of a retired certificate", async () => {
    await using database = await open();
    const { certificates, nuget } = database;
    await certificates.used(certificate(OLD), AT);
    await certificates.retire(OLD, { actor: "test" });
    await expect(published(database, NAMED, sealBy(OLD, 1))).rejects.toThrow(
      RetiredCertificateError,
    );
    const standing = sealBy(NEW, 1);
    const file = await published(database, NAMED, standing);
    const change = { seen: standing, seal: sealBy(OLD, 2) };
    await expect(nuget.seals.replace(file, change)).rejects.toThrow(RetiredCertificateError);
    const unsigned = await published(database, { id: "Other", version: "1.0.0" });
    expect(await nuget.seals.keep(unsigned, sealBy(OLD, 3))).toBeUndefined();
    expect((await nuget.lookup.find("other", "1.0.0"))?.seal).toBeUndefined();
    expect((await nuget.lookup.find("acme.widgets", "1.0.0-beta"))?.seal).toEqual(standing);
  });

  test("a signature during the retirement is either counted or refused", async () => {
    await using database = await open();
    const { certificates, nuget } = database;
    for (let round = 0; round < 5; round++) {
      const fingerprint = `${round}f`.repeat(32);
      await certificates.used(certificate(fingerprint), AT);
      const name = { id: "Acme", version: `1.0.${round}` };
      const file = await published(database, name);
      const [keptSeal, retired] = await Promise.all([
        nuget.seals.keep(file, sealBy(fingerprint, round)),
        certificates.retire(fingerprint, { actor: "test" }),
      ]);
      expect(retired.status).toBe(keptSeal ? "in-use" : "retired");
    }
  });

  test("an unsigned version or unlisted certificate refutes that all are signed", async () => {
    await using database = await open();
    const { certificates, nuget } = database;
    const all = () => nuget.certificates.allRepositorySigned();
    await certificates.used(certificate(NEW), AT);
    await published(database, { id: "Acme", version: "1.0.0" }, sealBy(NEW, 1));
    await published(database, { id: "Acme", version: "2.0.0" }, sealBy(NEW, 2));
    expect(await all()).toBe(true);
    // Of a certificate without a record, as a foreign hand might leave it.
    await published(database, { id: "Acme", version: "3.0.0" }, sealBy(OLD, 3));
    expect(await all()).toBe(false);
    await nuget.lifecycle.delete("acme", "3.0.0", testCaller);
    expect(await all()).toBe(true);
    await published(database, { id: "Acme", version: "4.0.0" });
    expect(await all()).toBe(false);
  });
});

async function published(
  { nuget }: Database,
  name: { readonly id: string; readonly version: string },
  seal?: Seal,
) {
  const input = newPackage(name, seal ? { seal } : {});
  await nuget.recorder.record(input, testCaller);
  return { ...name, sha256: input.blob.sha256 };
}

function sealBy(fingerprint: string, byte: number): Seal {
  return { plan: Buffer.of(byte, 0, 255), fingerprint, size: 5_000_000_000 + byte, signedAt: AT };
}

function signedBy({ fingerprint, size, signedAt }: Seal) {
  return { fingerprint, size, signedAt };
}

function certificate(fingerprint: string) {
  const names = { subject: "CN=Feed", issuer: "CN=Feed" };
  const der = Buffer.from(fingerprint, "hex");
  return { ...names, fingerprint, der, notBefore: AT, notAfter: new Date(AT.getTime() + 1e9) };
}

afterAll(leaveTestServers);
