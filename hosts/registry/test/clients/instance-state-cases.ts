import { createHash, randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { openDatabase } from "@sealhouse/database";
import { publishBody } from "@sealhouse/npm-protocol/testing";
import { buildNupkg } from "@sealhouse/nuget-protocol/testing";
import { buildImage } from "@sealhouse/oci-distribution/testing";
import { beforeAll, describe, expect, test } from "vitest";
import type { TestHost } from "../../src/testing/index.ts";
import { ociArtifact } from "../artifacts.ts";
import type { Index, InstanceParts, Instances } from "./instances.ts";
import { ALL } from "./instances.ts";

const MIB = 1024 * 1024;
const READERS_EACH = 10;
/** A package from before the instances had a signing mode. */
export const UNSIGNED = "Acme.Unsigned";
/** Failed sign-ins of one address that are allowed at once, on all instances together. */
const FAILURES_MAX = 30;

/** State that one instance changes and each other one sees. */
export function describeSharedState(parts: () => InstanceParts): void {
  describe("share their state", () => {
    let all: Instances;
    let token: string;
    let bearer: { readonly authorization: string };

    beforeAll(() => {
      ({ all, token } = parts());
      bearer = { authorization: `Bearer ${token}` };
    });

    const send = (index: Index, line: string, init: SentRequest = {}) => {
      const [method = "", path = ""] = line.split(" ");
      const headers = { authorization: `Basic ${btoa(`t:${token}`)}`, ...init.headers };
      return all.at(index).fetch(path, { ...init, method, headers });
    };
    const onAll = <T>(read: (index: Index) => Promise<T>) => Promise.all(ALL.map(read));

    test("instances that start together create one key of each kind", async () => {
      expect(await all.keyCount()).toBe(1);
      const read = (index: Index) => all.at(index).fetch("/npm/-/npm/v1/keys");
      // A job announces the key.
      await expect.poll(async () => (await read(0)).status, { timeout: 30_000 }).toBe(200);
      const keys = await onAll(async (index) => (await read(index)).text());
      expect(Object(JSON.parse(keys[0] ?? ""))["keys"]).toHaveLength(1);
      expect(new Set(keys).size).toBe(1);
    });

    test("an upload continues on each instance and ends on the last one", async () => {
      // The second part is larger than what is written to the store at once.
      const pieces = [300_000, 12 * MIB, 5_000].map((size) => randomBytes(size));
      const whole = Buffer.concat(pieces);
      let location = locationOf(await send(0, "POST /v2/hop/app/blobs/uploads/"));
      for (const [index, piece] of pieces.entries()) {
        const answer = await send(index as Index, `PATCH ${location}`, { body: piece });
        expect(answer.status).toBe(202);
        location = locationOf(answer);
        const progress = await send(((index + 1) % 3) as Index, `GET ${location}`);
        expect(progress.headers.get("range")).toBe(answer.headers.get("range"));
      }
      const closed = await send(2, `PUT ${location}?digest=${digestOf(whole)}`);
      expect(closed.status).toBe(201);
      await onAll(async (index) => {
        const read = await send(index, `GET /v2/hop/app/blobs/${digestOf(whole)}`);
        expect(digestOf(Buffer.from(await read.arrayBuffer()))).toBe(digestOf(whole));
      });
    });

    test("one upload that two instances finish at once is one blob", async () => {
      for (const size of [40_000, 9 * MIB]) {
        const bytes = randomBytes(size);
        const opened = locationOf(await send(0, "POST /v2/hop/race/blobs/uploads/"));
        const location = locationOf(await send(1, `PATCH ${opened}`, { body: bytes }));
        const answers = await Promise.all(
          ([0, 2] as const).map(async (index) => {
            const answer = await send(index, `PUT ${location}?digest=${digestOf(bytes)}`);
            return { status: answer.status, text: await answer.text() };
          }),
        );
        const [winner, other] = answers.toSorted((a, b) => a.status - b.status);
        expect(winner?.status).toBe(201);
        if (other?.status === 409) expect(other.text).toContain("another request is writing");
        else if (other?.status === 404) expect(other.text).toContain("BLOB_UPLOAD_UNKNOWN");
        else expect(other?.status).toBe(201);
        // A proxy repeats a request whose answer was lost.
        const again = await send(1, `PUT ${location}?digest=${digestOf(bytes)}`);
        expect(again.status).toBe(201);
        const read = await send(1, `GET /v2/hop/race/blobs/${digestOf(bytes)}`);
        expect(digestOf(Buffer.from(await read.arrayBuffer()))).toBe(digestOf(bytes));
      }
    });

    test("parallel downloads on all instances cause one signature", async () => {
      const before = await all.signatureCount();
      const lower = UNSIGNED.toLowerCase();
      const path = `/v3/package/${lower}/1.0.0/${lower}.1.0.0.nupkg`;
      const answers = await Promise.all(
        Array.from({ length: 3 * READERS_EACH }, async (_, n) => {
          const answer = await all.at((n % 3) as Index).fetch(path);
          const digest = digestOf(Buffer.from(await answer.arrayBuffer()));
          return `${answer.status} ${answer.headers.get("etag")} ${digest}`;
        }),
      );
      expect(new Set(answers).size).toBe(1);
      expect(answers[0]).toMatch(/^200 /);
      expect(await all.signatureCount()).toBe(before + 1);
    });

    test("a document that one instance renders is not rendered again on another", async () => {
      const name = "render-once";
      const read = async (index: Index) => {
        const answer = await all.at(index).fetch(`/npm/${name}`, { headers: bearer });
        await answer.arrayBuffer();
        return `${answer.headers.get("etag")} ${answer.headers.get("last-modified")}`;
      };
      expect(await publish(all.at(0), { name })).toBe(200);
      const first = await read(1);
      // Longer than the resolution of Last-Modified, which is the time of the rendering.
      await delay(1_100);
      expect(await onAll(read)).toEqual([first, first, first]);

      expect(await publish(all.at(1), { name, version: "1.1.0" })).toBe(200);
      const many = await Promise.all(
        Array.from({ length: 3 * READERS_EACH }, (_, n) => read((n % 3) as Index)),
      );
      const tags = many.map((line) => line.split(" ")[0]);
      expect(new Set(tags).size).toBe(1);
      expect(tags[0]).not.toBe(first.split(" ")[0]);
    });

    test("garbage collections and checks run on one instance at a time", async () => {
      expect(await ociArtifact("garbage/app", randomBytes(1_000)).push(all.at(0), token)).toBe(
        true,
      );
      const runs = await onAll((index) => all.at(index).cli("oci", "gc", "--dry-run", "--json"));
      const states = runs.map(
        ({ stdout }) => (JSON.parse(stdout) as { status: string }[])[0]?.status,
      );
      expect(states).toContain("finished");
      expect(states.filter((status) => status !== "finished" && status !== "busy")).toEqual([]);

      await using database = await openDatabase(all.database, { migrate: false });
      const { leases } = database;
      for (const lease of ["oci-gc default", "check-command"]) {
        expect(await leases.acquire(lease, "another instance", 60_000)).toBeGreaterThan(0);
      }
      const collection = await all.at(1).cli("oci", "gc", "--dry-run");
      expect(collection.stderr).toContain("Another garbage collection is running");
      const check = await all.at(2).cli("check");
      expect(check.stderr).toContain("Another check is running");
      for (const lease of ["oci-gc default", "check-command"]) {
        await leases.release(lease, "another instance");
      }
    });

    test("a revoked token is refused by the next request on each instance", async () => {
      const made = await all.cli("token", "create", "--name", "short", "--json");
      const { id, token: value } = JSON.parse(made.stdout) as { id: string; token: string };
      const images = async (index: Index) => {
        const query = "service=test&scope=repository:hop/app:pull,push";
        const headers = { authorization: `Basic ${btoa(`t:${value}`)}` };
        const answer = await all.at(index).fetch(`/token?${query}`, { headers });
        return (JSON.parse(await answer.text()) as { readonly token: string }).token;
      };
      const bearers = await onAll(images);
      const statuses = () =>
        onAll(async (index) => {
          const authorization = `Bearer ${value}`;
          const image = { authorization: `Bearer ${bearers[(index + 1) % 3]}` };
          const answers = await Promise.all([
            all.at(index).fetch("/npm/-/whoami", { headers: { authorization } }),
            all.at(index).fetch("/v2/", { headers: image }),
          ]);
          return answers.map(({ status }) => status);
        });
      expect(await statuses()).toEqual(ALL.map(() => [200, 200]));
      const revoked = await all.cli("token", "revoke", id);
      expect(revoked.code, revoked.stderr).toBe(0);
      expect(await statuses()).toEqual(ALL.map(() => [401, 401]));
    });

    test("a change on one instance is in the next answer of each other one", async () => {
      const packument = async (index: Index) => {
        const answer = await all.at(index).fetch("/npm/seen", { headers: bearer });
        return (await answer.json()) as Packument;
      };
      for (const writer of ALL) {
        const host = all.at(writer);
        const version = `1.${writer}.0`;
        expect(await publish(host, { name: "seen", version })).toBe(200);
        for (const seen of await onAll(packument)) expect(seen.versions).toHaveProperty([version]);
        const tag = await host.fetch("/npm/-/package/seen/dist-tags/beta", {
          method: "PUT",
          headers: { ...bearer, "content-type": "application/json" },
          body: JSON.stringify(version),
        });
        expect(tag.ok).toBe(true);
        for (const seen of await onAll(packument)) expect(seen["dist-tags"]["beta"]).toBe(version);
      }
      const { _rev: rev } = await packument(0);
      const maintainers = [{ name: "test" }, { name: "short" }];
      const owners = await all.at(1).fetch(`/npm/seen/-rev/${rev}`, {
        method: "PUT",
        headers: { ...bearer, "content-type": "application/json" },
        body: JSON.stringify({ _id: "seen", _rev: rev, maintainers }),
      });
      expect(owners.status, await owners.text()).toBeLessThan(300);
      for (const seen of await onAll(packument)) {
        expect(seen.maintainers.map(({ name }) => name)).toContain("short");
      }
    });

    test("a listed, unlisted or deleted NuGet version is so on each instance", async () => {
      const listed = async (index: Index) => {
        const answer = await all.at(index).fetch("/v3/registration/acme.seen/index.json");
        return /"listed":\s*(true|false)/.exec(await answer.text())?.[1];
      };
      const key = { "x-nuget-apikey": token };
      for (const writer of ALL) {
        if (writer === 0) expect(await pushNuget(all.at(0), token, "Acme.Seen")).toBe(201);
        else {
          const init = { method: "POST", headers: key };
          const relisted = await all.at(writer).fetch("/api/v2/package/Acme.Seen/1.0.0", init);
          expect(relisted.status).toBe(200);
        }
        expect(await onAll(listed)).toEqual(["true", "true", "true"]);
        const init = { method: "DELETE", headers: key };
        const unlisted = await all.at(writer).fetch("/api/v2/package/Acme.Seen/1.0.0", init);
        expect(unlisted.status).toBe(204);
        expect(await onAll(listed)).toEqual(["false", "false", "false"]);
      }
    });

    test("a tag that moves or is deleted on one instance has moved on each other one", async () => {
      const images = [randomBytes(100), randomBytes(200), randomBytes(300)].map((layer) =>
        buildImage({ layers: [layer] }),
      );
      const tag = "/v2/hop/tagged/manifests/latest";
      const digests = () =>
        onAll(async (index) => {
          const answer = await send(index, `HEAD ${tag}`);
          return answer.headers.get("docker-content-digest");
        });
      for (const [index, image] of images.entries()) {
        for (const { digest, bytes } of image.blobs) {
          const path = `/v2/hop/tagged/blobs/uploads/?digest=${digest}`;
          const body = Buffer.from(bytes);
          expect((await send(index as Index, `POST ${path}`, { body })).status).toBe(201);
        }
        const pushed = await send(index as Index, `PUT ${tag}`, {
          headers: { "content-type": image.mediaType },
          body: Buffer.from(image.bytes),
        });
        expect(pushed.status).toBe(201);
        expect(await digests()).toEqual(ALL.map(() => image.digest));
      }
      expect((await send(1, `DELETE ${tag}`)).status).toBe(202);
      expect(await digests()).toEqual([null, null, null]);
    });

    test("failed sign-ins on all instances count together, and known tokens still pass", async () => {
      const attempt = async (index: Index, secret: string) => {
        const headers = { authorization: `Bearer ${secret}`, "x-forwarded-for": "192.0.2.7" };
        return (await all.at(index).fetch("/npm/-/whoami", { headers })).status;
      };
      expect(await attempt(1, token)).toBe(200);
      // Made before: the limit frees one attempt in two seconds.
      const fresh = await all.makeToken({ scopes: "read" });
      const statuses: number[] = [];
      for (let n = 0; n < FAILURES_MAX; n += 1) {
        statuses.push(await attempt((n % 3) as Index, `${token.slice(0, 12)}${n}`));
      }
      expect(new Set(statuses)).toEqual(new Set([401]));
      const wrong = await onAll((index) => attempt(index, `${token.slice(0, 12)}wrong`));
      expect(wrong).toEqual([429, 429, 429]);
      expect(await onAll((index) => attempt(index, fresh))).toEqual([429, 429, 429]);
      expect(await attempt(1, token)).toBe(200);
    });

    async function publish(
      host: TestHost,
      wish: { readonly name: string; readonly version?: string },
    ): Promise<number> {
      const answer = await host.fetch(`/npm/${wish.name}`, {
        method: "PUT",
        headers: { ...bearer, "content-type": "application/json" },
        body: publishBody(wish),
      });
      await answer.arrayBuffer();
      return answer.status;
    }
  });
}

type SentRequest = {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer<ArrayBuffer>;
};

type Packument = {
  readonly _rev: string;
  readonly versions: object;
  readonly "dist-tags": Readonly<Record<string, string>>;
  readonly maintainers: readonly { readonly name: string }[];
};

/** Pushes version 1.0.0, and resolves to the status. */
export async function pushNuget(host: TestHost, token: string, id: string): Promise<number> {
  const body = new Uint8Array(buildNupkg({ id, version: "1.0.0", files: { "a.txt": "a" } }));
  const headers = { "x-nuget-apikey": token };
  const answer = await host.fetch("/api/v2/package/", { method: "PUT", headers, body });
  await answer.arrayBuffer();
  return answer.status;
}

function digestOf(bytes: Uint8Array): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}

function locationOf({ headers }: Response): string {
  const location = headers.get("location");
  if (location === null) throw new Error("The answer has no Location.");
  return location;
}
