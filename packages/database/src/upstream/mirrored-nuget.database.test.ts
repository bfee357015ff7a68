import { parseQueryText } from "@sealhouse/nuget-protocol";
import { newPackage, testCaller } from "@sealhouse/nuget-protocol/testing";
import { afterAll, describe, expect, test } from "vitest";
import { openTestParts } from "../testing/open-test-parts.ts";
import { leaveTestServers, testableDatabases } from "../testing/index.ts";

const MIRRORED = { mirroredFrom: "upstream" } as const;
const QUERY = {
  conditions: parseQueryText("acme"),
  skip: 0,
  take: 10,
  prerelease: true,
  semVer2: true,
};

afterAll(leaveTestServers);

describe.each(testableDatabases())("%s", (type) => {
  test("an id of a source takes the versions of the source alone", async () => {
    await using parts = await openTestParts(type);
    const { nuget, upstream } = parts.database;
    await upstream.origins.claim("nuget", "acme", "upstream");
    const first = { id: "Acme", version: "1.0.0" };
    const refused = { status: "mirrored", source: "upstream" };
    expect(await nuget.recorder.record(newPackage(first), testCaller)).toEqual(refused);
    const fetched = newPackage(first, { origin: "Mirrored", ...MIRRORED });
    expect(await nuget.recorder.record(fetched, testCaller)).toMatchObject({ status: "recorded" });
    // Even a version that is stored.
    expect(await nuget.recorder.record(newPackage(first), testCaller)).toEqual(refused);
    expect(await nuget.lookup.find("acme", "1.0.0")).toMatchObject({ origin: "Mirrored" });
  });

  test("an id that is published here has that origin, and no source takes it", async () => {
    await using parts = await openTestParts(type);
    const { nuget, upstream } = parts.database;
    await nuget.recorder.record(newPackage({ id: "Acme", version: "1.0.0" }), testCaller);
    const origin = await upstream.origins.claim("nuget", "acme", "upstream");
    expect(origin).toMatchObject({ origin: "own" });
  });

  test("search finds mirrored packages unless only own ones count; cached ones never", async () => {
    await using parts = await openTestParts(type);
    const { recorder, search } = parts.database.nuget;
    const { origins } = parts.database.upstream;
    for (const [id, origin] of [
      ["Acme.Own", "Published"],
      ["Acme.Mirrored", "Mirrored"],
      ["Acme.Cached", "Cached"],
    ] as const) {
      const isOwn = origin === "Published";
      if (!isOwn) await origins.claim("nuget", id.toLowerCase(), "upstream");
      const source = isOwn ? {} : MIRRORED;
      const version = newPackage({ id, version: "1.0.0" }, { origin, ...source });
      await recorder.record(version, testCaller);
    }
    // Comparing all versions again does not find them either.
    await recorder.setListed("acme.cached", "1.0.0", false, testCaller);
    await recorder.setListed("acme.cached", "1.0.0", true, testCaller);
    const ids = async (ownOnly: boolean) =>
      (await search.search({ ...QUERY, ownOnly })).hits.map(({ id }) => id).toSorted();
    expect(await ids(false)).toEqual(["Acme.Mirrored", "Acme.Own"]);
    expect(await ids(true)).toEqual(["Acme.Own"]);
    const completed = await search.idsStartingWith({ ...QUERY, prefix: "acme", ownOnly: true });
    expect(completed.ids).toEqual(["Acme.Own"]);
  });

  test("certificates of kept signatures stay on the list, each once", async () => {
    await using parts = await openTestParts(type);
    const { nuget, upstream } = parts.database;
    const certificate = {
      fingerprint: "ab".repeat(32),
      subject: "CN=Other",
      issuer: "CN=Other",
      notBefore: new Date("2020-01-01T00:00:00Z"),
      notAfter: new Date("2021-01-01T00:00:00Z"),
      der: Buffer.from("der"),
    };
    await upstream.certificates.note(certificate);
    await upstream.certificates.note(certificate);
    expect(await nuget.certificates.all()).toMatchObject([{ subject: "CN=Other" }]);
    const found = await nuget.certificates.find(certificate.fingerprint);
    expect(found?.notAfter).toEqual(certificate.notAfter);
  });
});
