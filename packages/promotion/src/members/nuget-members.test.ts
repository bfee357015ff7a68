import { createHash } from "node:crypto";
import {
  createMemoryCatalog,
  createMemoryFiles,
  newPackage,
  sourceOf,
  testCaller,
} from "@sealhouse/nuget-protocol/testing";
import { expect, test } from "vitest";
import type { ReleaseItem, StoredRelease } from "../model/release.ts";
import { releaseStatement } from "../statement/release-statement.ts";
import { createTarget } from "../target/create-target.ts";
import { describeNuGet, openNuGet } from "./nuget-members.ts";
import type { NuGetMemberPorts } from "./nuget-members.ts";
import { ChangedContentError } from "./verified-file.ts";

const RECEIVED = Buffer.from("the file of the author");
const SEALED = Buffer.from("the file of the author, with the signature of this feed");
const AT = new Date("2026-01-01T00:00:00Z");

/** A feed with one signed package; `feed.served` are the bytes of its downloads. */
async function openPackage() {
  const feed = { served: SEALED };
  const { lookup, recorder, provenance, symbols } = createMemoryCatalog();
  const { files } = createMemoryFiles();
  const staging = { hashes: ["sha512"], maxBytes: 1_000 } as const;
  await using staged = await files.stage(sourceOf(RECEIVED).read(), staging);
  const blob = await staged.keep();
  const sha512 = createHash("sha512").update(RECEIVED).digest("base64");
  const seal = { plan: Buffer.from("plan"), fingerprint: "", size: SEALED.length, signedAt: AT };
  const fields = { blob, sha512, seal };
  await recorder.record(newPackage({ id: "Acme", version: "1.0.0" }, fields), testCaller);
  const content = { open: async () => ({ ...sourceOf(feed.served), etag: "" }) };
  const held = { nuget: async () => undefined };
  const ports: NuGetMemberPorts = { lookup, provenance, files, content, symbols, held };
  const choice = { version: "1.0.0", isListed: true, tags: [] };
  const member = await describeNuGet(ports, "acme", choice);
  if (!member) throw new Error("the package has no description");
  const sent = async (form: "Original" | "Sealed") => {
    const opened = await openNuGet(ports, member, form);
    return Buffer.concat(await Array.fromAsync(opened?.file.read() ?? []));
  };
  return { feed, member, sent };
}

function digestsOf(bytes: Uint8Array) {
  const hash = (name: string) => createHash(name).update(bytes).digest("hex");
  return { sha256: hash("sha256"), sha512: hash("sha512") };
}

test("a target gets the received file or the signed one, and the statement has both", async () => {
  const { member, sent } = await openPackage();
  expect(await sent("Original")).toEqual(RECEIVED);
  expect(await sent("Sealed")).toEqual(SEALED);
  const endpoint = "https://feed.example/v3/index.json";
  const sealing = { nugetContent: "Sealed" } as const;
  const targets = [
    createTarget({ name: "plain", protocol: "nuget", endpoint }),
    createTarget({ name: "sealed", protocol: "nuget", endpoint, options: sealing }),
  ];
  const items = targets.map(({ name }): ReleaseItem => {
    const fresh = { state: "ready", wasThere: false, attempts: 0 } as const;
    return { id: name, target: name, member, ...fresh };
  });
  const release: StoredRelease = {
    id: "r1",
    number: 1,
    group: "web",
    kind: "promotion",
    state: "publishing",
    targets: targets.map(({ name }) => name),
    actor: "ada",
    createdAt: AT,
    attemptsSince: AT,
    items,
  };
  const surroundings = { feed: "https://dev.example", previous: undefined, signedAt: AT };
  const statement: unknown = JSON.parse(releaseStatement(release, targets, surroundings));
  const [received, served] = [digestsOf(RECEIVED), digestsOf(SEALED)];
  const name = "pkg:nuget/Acme@1.0.0";
  expect(statement).toMatchObject({
    subject: [
      { name, digest: received },
      { name, digest: served },
    ],
    predicate: {
      members: [
        { received, served, sent: received },
        { received, served, sent: served },
      ],
    },
  });
});

test("a file that was signed again after the freeze does not go out", async () => {
  const { feed, sent } = await openPackage();
  feed.served = Buffer.from("the file of the author, signed with another certificate");
  await expect(sent("Sealed")).rejects.toThrow(ChangedContentError);
  expect(await sent("Original")).toEqual(RECEIVED);
});
