import { buildImage, buildIndex } from "@sealhouse/oci-distribution/testing";
import { expect, test } from "vitest";
import { image, openPages } from "./images.test.support.ts";
import { wordsOf } from "./pages.test.support.ts";

const HOUR_MS = 3_600_000;

async function proofOn(page: Response): Promise<string> {
  return /name="proof" value="([^"]+)"/.exec(await page.text())?.[1] ?? "";
}

test("deletes a tag through the confirmation page", async () => {
  await using pages = await openPages();
  const { push, get, post, read, authorizationOf, database } = pages;
  await push(image, ["1.0", "latest"]);
  const path = "/images/acme/app:1.0/delete";
  const [reader, authorization] = [
    await authorizationOf(["read"]),
    await authorizationOf(["delete"]),
  ];
  expect((await get(path)).status).toBe(401);
  expect((await get(path, reader)).status).toBe(401);
  for (const caller of [undefined, reader]) {
    expect(await read("/images/acme/app:1.0", caller)).not.toContain("Delete the tag");
  }
  expect(await read("/images/acme/app:1.0", authorization)).toContain("Delete the tag 1.0");
  expect(await read(path, authorization)).toContain("other tags point to it");
  const proof = await proofOn(await get(path, authorization));
  const done = await post(path, `proof=${proof}`, { authorization });
  expect(done.status).toBe(200);
  expect(wordsOf(await done.text())).toContain("Deleted");
  expect((await get("/images/acme/app:1.0")).status).toBe(404);
  expect((await get("/images/acme/app:latest")).status).toBe(200);
  const events = await database.events.outbox.pending("test", 100);
  expect(events.at(-1)).toMatchObject({
    type: "package.deleted",
    subject: "oci/acme/app:1.0",
    caller: { actor: "me" },
  });
});

test("deletes nothing with a form of another token", async () => {
  await using pages = await openPages();
  const { push, get, post, authorizationOf, advance } = pages;
  await push(image, ["1.0", "2.0"]);
  const path = "/images/acme/app:1.0/delete";
  const authorization = await authorizationOf(["delete"]);
  const another = await authorizationOf(["delete"]);
  const proof = await proofOn(await get(path, authorization));
  const other = "/images/acme/app:2.0/delete";
  const wrong: readonly (readonly [path: string, body: string, headers: Record<string, string>])[] =
    [
      [path, "", { authorization }],
      [path, "proof=1.x", { authorization }],
      [path, `proof=${proof}`, { authorization: another }],
      [other, `proof=${proof}`, { authorization }],
      [`/images/acme/app@${image.digest}/delete`, `proof=${proof}`, { authorization }],
      [path, `proof=${proof}`, { authorization, "sec-fetch-site": "cross-site" }],
      [path, `proof=${proof}`, { authorization, "content-type": "text/plain" }],
      [path, `proof=${proof}${"&x".repeat(5_000)}`, { authorization }],
    ];
  for (const [target, body, headers] of wrong) {
    expect((await post(target, body, headers)).status, body.slice(0, 50)).toBe(409);
  }
  expect((await post(path, `proof=${proof}`, {})).status).toBe(401);
  expect((await post("/images/acme/app:1.0", `proof=${proof}`, { authorization })).status).toBe(
    404,
  );
  await push(buildImage({ layers: ["newer"] }), ["1.0"]);
  expect((await post(path, `proof=${proof}`, { authorization })).status).toBe(409);
  const newer = await proofOn(await get(path, authorization));
  advance(HOUR_MS);
  expect((await post(path, `proof=${newer}`, { authorization })).status).toBe(409);
  expect((await get("/images/acme/app:1.0")).status).toBe(200);
  expect((await get("/images/acme/app:2.0")).status).toBe(200);
});

test("deletes a manifest with its tags, unless a hold protects it", async () => {
  await using pages = await openPages();
  const { push, get, post, read, authorizationOf, database } = pages;
  await push(image, ["1.0"]);
  const index = buildIndex([image]);
  await push(index);
  const path = `/images/acme/app@${image.digest}/delete`;
  const authorization = await authorizationOf(["delete"]);
  expect(await read(path, authorization)).toContain(
    "Tags: 1.0 Indexes that list it and become incomplete: 1",
  );
  const proof = await proofOn(await get(path, authorization));
  await database.oci.holds.hold([index.digest], "operator", undefined);
  const refusal = await post(path, `proof=${proof}`, { authorization });
  expect([refusal.status, wordsOf(await refusal.text())]).toEqual([
    403,
    expect.stringContaining("A hold protects this digest or an index that lists it"),
  ]);
  await database.oci.holds.release("operator");
  expect((await post(path, `proof=${proof}`, { authorization })).status).toBe(200);
  expect((await get("/images/acme/app:1.0")).status).toBe(404);
  expect((await post(path, `proof=${proof}`, { authorization })).status).toBe(404);
});
