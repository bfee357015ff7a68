import { packageBytesOf, readSignature } from "@sealhouse/repo-signing";
import { openScriptedFeed } from "@sealhouse/upstream-sources/testing";
import type { ScriptedFeed } from "@sealhouse/upstream-sources/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isExtended } from "../../src/testing/index.ts";
import { hasClient } from "../clients/client.ts";
import { openSignedFeed } from "../clients/signed-feed.ts";
import type { SignedFeed } from "../clients/signed-feed.ts";
import { packageThat } from "../signed-packages.ts";
import { addSources } from "./add-source.ts";
import type { NewSource } from "./add-source.ts";

const REQUIRE = '<config><add key="signatureValidationMode" value="require" /></config>';
/** Signatures here have no timestamp, which NU3027 reports. */
const UNEXPECTED = /NU(?!3027)\d{4}/;

function trusting(fingerprint: string): string {
  return `${REQUIRE}
<trustedSigners><author name="trusted">
  <certificate fingerprint="${fingerprint.toUpperCase()}" hashAlgorithm="SHA256"
    allowUntrustedRoot="true" />
</author></trustedSigners>`
    .replaceAll("author", "repository")
    .replace('name="trusted"', 'name="trusted" serviceIndex="https://trusted.test/v3/index.json"');
}

describe.skipIf(!hasClient("dotnet"))("dotnet in require mode, through a mirror that signs", () => {
  let upstream: ScriptedFeed;
  let feed: SignedFeed;
  let ofUpstream: string;
  let ours: string;

  beforeAll(async () => {
    upstream = await openScriptedFeed(["content", "registration", "signatures"]);
    feed = await openSignedFeed();
    const sources: NewSource[] = [];
    for (const policy of ["Merge", "Resign"] as const) {
      const id = `${policy}.Package`;
      const bytes = await packageThat("an upstream repository signature", id);
      const signature = await readSignature(packageBytesOf(bytes));
      if (signature.kind === "none" || !signature.signer.certificate) throw new Error("unsigned");
      ofUpstream = signature.signer.fingerprint ?? "";
      if (upstream.certificates.length === 0)
        upstream.certificates.push(signature.signer.certificate);
      upstream.put(id, "1.0.0", { bytes });
      const settings = { allow: [`${policy}.*`] };
      const url = upstream.url.href;
      sources.push({ name: policy, protocol: "nuget", url, signaturePolicy: policy, settings });
    }
    await addSources(feed.host, sources);
    await feed.put("Acme.Own");
    const own = await readSignature(packageBytesOf(await servedOf("Acme.Own")));
    ours = own.kind === "none" ? "" : (own.signer.fingerprint ?? "");
  }, 120_000);
  afterAll(async () => {
    await feed?.[Symbol.asyncDispose]();
    await upstream?.[Symbol.asyncDispose]();
  });

  async function servedOf(id: string): Promise<Uint8Array> {
    const lower = id.toLowerCase();
    const answer = await feed.host.fetch(`/v3/package/${lower}/1.0.0/${lower}.1.0.0.nupkg`);
    return new Uint8Array(await answer.arrayBuffer());
  }

  const worked = [
    ["Merge", "the source", true],
    ["Resign", "this host", true],
  ] as const;
  const refused = [
    ["Merge", "this host", false],
    ["Resign", "the source", false],
  ] as const;
  test.each([...worked, ...(isExtended ? refused : refused.slice(0, 1))])(
    "a package of a source with %s, with trust in %s: %s",
    async (policy, trusted, works) => {
      const fingerprint = trusted === "this host" ? ours : ofUpstream;
      const client = await feed.client({ config: trusting(fingerprint) });
      const project = await client.consumer({ id: `${policy}.Package`, version: "1.0.0" });
      const { output, code } = await client.run(["restore"], project);
      if (works) expect(output).not.toMatch(UNEXPECTED);
      else expect(output).toMatch(/error NU3034/);
      expect(code === 0).toBe(works);
    },
  );
});
